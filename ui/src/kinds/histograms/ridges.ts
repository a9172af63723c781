/** Histograms as ridges, one behind the other over the steps, or all on one baseline. */
import { drawXGrid } from "../../charts/axes";
import { heightOf } from "../../charts/box";
import type { Frame } from "../../charts/frame";
import type { Pen } from "../../charts/pen";
import { drawText, type Point, strokePoints, tickFont, tracePoints } from "../../charts/shapes";
import type { Theme } from "../../charts/theme";
import { xTicks } from "../../charts/ticks";
import { columnEdges, type HistogramGrid, valueAt } from "./histogramGrid";
import { countScale, type HistogramScene } from "./scene";

/** Height of the tallest ridge as a fraction of the plot. A single ridge takes all of it. */
const TALLEST = 0.42;

export function drawRidges(pen: Pen, frame: Frame, scene: HistogramScene, theme: Theme): void {
  const { columns } = scene.grid;
  const bases = ridgeBases(scene, frame);
  drawXGrid(pen, frame, theme);
  for (let i = 0; i < columns; i++) {
    tracePoints(pen, ridgeOutline(scene, i, frame, bases[i]!));
    pen.fillStyle = theme.surface;
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
    const { x, y, text } = ridgeLabel(scene, i, frame, bases[i]!);
    drawText(pen, text, x, y, { font: tickFont(theme), color: theme.ink3 });
  }
}

export function drawOverlay(pen: Pen, frame: Frame, scene: HistogramScene, theme: Theme): void {
  const { columns } = scene.grid;
  drawXGrid(pen, frame, theme);
  for (let i = 0; i < columns; i++) {
    pen.globalAlpha = 0.15 + 0.6 * (i / Math.max(1, columns - 1)) ** 2;
    strokePoints(pen, overlayOutline(scene, i, frame), scene.color, 1);
  }
  pen.globalAlpha = 1;
}

/** Returns the baseline of each ridge. Later ridges are lower. */
export function ridgeBases({ grid, x }: HistogramScene, { box, y }: Frame): number[] {
  if (grid.columns < 2) return [box.bottom];
  const height = heightOf(box) * (1 - TALLEST);
  return Array.from(columnEdges(grid, x).subarray(0, grid.columns), (at) => box.bottom - y.at(at) * height);
}

export interface RidgeLabel {
  x: number;
  y: number;
  text: string;
}

export function ridgeLabel(scene: HistogramScene, column: number, { box }: Frame, base: number): RidgeLabel {
  const at = columnEdges(scene.grid, scene.x)[column]!;
  return { x: box.right + 6, y: base - 3, text: xTicks(scene.x, at, at, 1).labels[0] ?? "" };
}

export function ridgeOutline(scene: HistogramScene, column: number, frame: Frame, base: number): Point[] {
  return outline(scene, column, frame, base, heightOf(frame.box) * (scene.grid.columns < 2 ? 1 : TALLEST));
}

export function overlayOutline(scene: HistogramScene, column: number, frame: Frame): Point[] {
  return outline(scene, column, frame, frame.box.bottom, heightOf(frame.box));
}

/** Returns the outline from the first row with a count to the last, so that a ridge is as wide as its values. */
function outline(scene: HistogramScene, column: number, { px }: Frame, base: number, tallest: number): Point[] {
  const { grid } = scene;
  const height = countScale(scene);
  const [first, last] = filledRows(grid, column);
  const points: Point[] = [[px(valueAt(grid, first)), base]];
  for (let row = first; row <= last; row++) {
    points.push([px(valueAt(grid, row + 0.5)), base - height(grid.counts[column * grid.rows + row]!) * tallest]);
  }
  points.push([px(valueAt(grid, last + 1)), base]);
  return points;
}

function filledRows({ counts, rows }: HistogramGrid, column: number): [first: number, last: number] {
  let [first, last] = [0, rows - 1];
  while (first < last && !counts[column * rows + first]) first++;
  while (last > first && !counts[column * rows + last]) last--;
  return [first, last];
}
