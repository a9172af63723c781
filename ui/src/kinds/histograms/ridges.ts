/* Histograms one behind the other over the steps, or all on one ground. */
import type { Pen } from "../../charts/pen";
import { xTicks } from "../../charts/ticks";
import { columnEdges, type Picture, valueAt } from "./picture";
import { across, along, type Box, drawValueAxis, heightOf, plotBox, type Scene, type Sheet, write } from "./sheet";

/** Of the plot's height, what the tallest ridge takes. */
const TALLEST = 0.42;
const LABEL_APART = 13;

export function drawRidges(sheet: Sheet, scene: Scene): void {
  const { pen, ink } = sheet;
  const box = plotBox(sheet.width, sheet.height, "ridge");
  const { columns } = scene.picture;
  drawValueAxis(sheet, box, scene);
  for (let i = 0; i < columns; i++) {
    trace(pen, scene, i, box, ridgeBase(scene, box, i), box.height * TALLEST);
    pen.fillStyle = ink.surface;
    pen.globalAlpha = 0.75;
    pen.fill();
    pen.fillStyle = ink.colour;
    pen.globalAlpha = 0.12 + 0.3 * (i / Math.max(1, columns - 1));
    pen.fill();
    pen.globalAlpha = 1;
    pen.strokeStyle = ink.colour;
    pen.lineWidth = 0.75;
    pen.stroke();
  }
  for (const i of new Set([0, columns - 1])) labelRidge(sheet, scene, box, i, ink.ink3);
}

export function markRidge(sheet: Sheet, scene: Scene, column: number, colour: string): void {
  const { pen, ink } = sheet;
  const box = plotBox(sheet.width, sheet.height, "ridge");
  const [base, last] = [ridgeBase(scene, box, column), scene.picture.columns - 1];
  trace(pen, scene, column, box, base, box.height * TALLEST);
  pen.strokeStyle = colour;
  pen.lineWidth = 1.5;
  pen.stroke();
  // The labels of the ends give way to this one.
  pen.fillStyle = ink.surface;
  for (const end of [0, last]) if (Math.abs(ridgeBase(scene, box, end) - base) < LABEL_APART) pen.fillRect(box.left + box.width + 4, ridgeBase(scene, box, end) - 10, 54, 14);
  labelRidge(sheet, scene, box, column, colour);
}

function labelRidge({ pen, ink }: Sheet, scene: Scene, box: Box, column: number, colour: string): void {
  const at = columnEdges(scene.picture, scene.x)[column]!;
  write(pen, ink.font, colour, "left", xTicks(scene.x, at, at, 1).labels[0] ?? "", box.left + box.width + 6, ridgeBase(scene, box, column) - 3);
}

export function drawOverlay(sheet: Sheet, scene: Scene): void {
  const { pen, ink } = sheet;
  const box = plotBox(sheet.width, sheet.height, "overlay");
  const { columns } = scene.picture;
  drawValueAxis(sheet, box, scene);
  for (let i = 0; i < columns; i++) {
    pen.globalAlpha = 0.15 + 0.6 * (i / Math.max(1, columns - 1)) ** 2;
    pen.strokeStyle = ink.colour;
    pen.lineWidth = 1;
    trace(pen, scene, i, box, box.top + box.height, box.height);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

export function markOverlay(sheet: Sheet, scene: Scene, column: number, colour: string): void {
  const box = plotBox(sheet.width, sheet.height, "overlay");
  trace(sheet.pen, scene, column, box, box.top + box.height, box.height);
  sheet.pen.strokeStyle = colour;
  sheet.pen.lineWidth = 1.75;
  sheet.pen.stroke();
}

/** Where a ridge stands: the later, the lower, by the time axis. */
export function ridgeBase({ picture, x }: Scene, box: Box, column: number): number {
  const room = box.height * (1 - TALLEST);
  if (picture.columns < 2) return box.top + box.height;
  const starts = columnEdges(picture, x).subarray(0, picture.columns);
  return along(starts, box.top + box.height - room, room)(starts[column]!);
}

/** From the first row that holds anything to the last, so that a ridge is no wider than its values. */
function trace(pen: Pen, scene: Scene, column: number, box: Box, base: number, tallest: number): void {
  const { picture } = scene;
  const [place, height] = [across(scene, box), heightOf(scene)];
  const [first, last] = filled(picture, column);
  pen.beginPath();
  pen.moveTo(place(valueAt(picture, first)), base);
  for (let row = first; row <= last; row++) {
    pen.lineTo(place(valueAt(picture, row + 0.5)), base - height(picture.counts[column * picture.rows + row]!) * tallest);
  }
  pen.lineTo(place(valueAt(picture, last + 1)), base);
}

function filled({ counts, rows }: Picture, column: number): [first: number, last: number] {
  let [first, last] = [0, rows - 1];
  while (first < last && !counts[column * rows + first]) first++;
  while (last > first && !counts[column * rows + last]) last--;
  return [first, last];
}
