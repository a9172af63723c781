/* Histograms one behind the other over the steps, or all on one ground. */
import type { Pen } from "../../charts/pen";
import { xTicks } from "../../charts/ticks";
import { columnEdges, type HistogramGrid, valueAt } from "./histogramGrid";
import {
  across,
  along,
  type Box,
  drawValueAxis,
  heightOf,
  plotBox,
  type Scene,
  type PlotArea,
  write,
} from "./plotArea";

/** Of the plot's height, what the tallest ridge takes, unless it stands alone. */
const TALLEST = 0.42;

export type Place = readonly [x: number, y: number];

export function drawRidges(area: PlotArea, scene: Scene): void {
  const { pen, ink } = area;
  const box = plotBox(area.width, area.height, "ridge");
  const { columns } = scene.grid;
  const bases = ridgeBases(scene, box);
  drawValueAxis(area, box, scene);
  for (let i = 0; i < columns; i++) {
    trace(pen, ridge(scene, i, box, bases[i]!));
    pen.fillStyle = ink.surface;
    pen.globalAlpha = 0.75;
    pen.fill();
    pen.fillStyle = scene.color;
    pen.globalAlpha = 0.12 + 0.3 * (i / Math.max(1, columns - 1));
    pen.fill();
    pen.globalAlpha = 1;
    pen.strokeStyle = scene.color;
    pen.lineWidth = 0.75;
    pen.stroke();
  }
  for (const i of new Set([0, columns - 1])) {
    const { x, y, words } = ridgeLabel(scene, i, box, bases[i]!);
    write(pen, ink.font, ink.ink3, "left", words, x, y);
  }
}

export function drawOverlay(area: PlotArea, scene: Scene): void {
  const { pen } = area;
  const box = plotBox(area.width, area.height, "overlay");
  const { columns } = scene.grid;
  drawValueAxis(area, box, scene);
  for (let i = 0; i < columns; i++) {
    pen.globalAlpha = 0.15 + 0.6 * (i / Math.max(1, columns - 1)) ** 2;
    pen.strokeStyle = scene.color;
    pen.lineWidth = 1;
    trace(pen, overlaid(scene, i, box));
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

/** Where each ridge stands: the later, the lower, by the time axis. */
export function ridgeBases(scene: Scene, box: Box): number[] {
  const room = box.height * (1 - TALLEST);
  const bottom = box.top + box.height;
  if (scene.grid.columns < 2) return [bottom];
  const place = along(scene, bottom - room, room);
  return Array.from(columnEdges(scene.grid, scene.x).subarray(0, scene.grid.columns), place);
}

export function ridgeLabel(
  scene: Scene,
  column: number,
  box: Box,
  base: number,
): { x: number; y: number; words: string } {
  const at = columnEdges(scene.grid, scene.x)[column]!;
  return { x: box.left + box.width + 6, y: base - 3, words: xTicks(scene.x, at, at, 1).labels[0] ?? "" };
}

export function ridge(scene: Scene, column: number, box: Box, base: number): Place[] {
  return outline(scene, column, box, base, box.height * (scene.grid.columns < 2 ? 1 : TALLEST));
}

export function overlaid(scene: Scene, column: number, box: Box): Place[] {
  return outline(scene, column, box, box.top + box.height, box.height);
}

/** From the first row that holds anything to the last, so that a ridge is no wider than its values. */
function outline(scene: Scene, column: number, box: Box, base: number, tallest: number): Place[] {
  const { grid } = scene;
  const [place, height] = [across(scene, box), heightOf(scene)];
  const [first, last] = filled(grid, column);
  const places: Place[] = [[place(valueAt(grid, first)), base]];
  for (let row = first; row <= last; row++) {
    places.push([place(valueAt(grid, row + 0.5)), base - height(grid.counts[column * grid.rows + row]!) * tallest]);
  }
  places.push([place(valueAt(grid, last + 1)), base]);
  return places;
}

function filled({ counts, rows }: HistogramGrid, column: number): [first: number, last: number] {
  let [first, last] = [0, rows - 1];
  while (first < last && !counts[column * rows + first]) first++;
  while (last > first && !counts[column * rows + last]) last--;
  return [first, last];
}

function trace(pen: Pen, places: Place[]): void {
  pen.beginPath();
  for (const [x, y] of places) pen.lineTo(x, y);
}
