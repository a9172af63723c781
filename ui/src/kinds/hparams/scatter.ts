/** Drawing of scatter plots: one of two columns, and a matrix of metrics against hyperparameters. */
import { drawAxes } from "../../charts/axes";
import type { Box, Span } from "../../charts/box";
import { type Frame, makeFrame } from "../../charts/frame";
import type { Pen } from "../../charts/pen";
import { makeScale, type Scale, type ScaleKind } from "../../charts/scale";
import { CHAR_PX, drawText, fillCircle, tickFont } from "../../charts/shapes";
import type { Theme } from "../../charts/theme";
import { type Ticks, valueTicks } from "../../charts/ticks";
import { type Cell, cellLabel, cellOf, finiteOf } from "../cells";
import { groupByValue, padded, scaleKind, sortedValues, spanOf } from "./axis";
import type { ColorScale } from "./colors";
import type { Column } from "./trials";

/** The positions of trials along one side of a plot. */
export interface Side {
  column: Column;
  scale: Scale;
  ticks: Ticks;
  /** Position of a trial in units of the scale; NaN if it has no value. */
  value(row: number): number;
  /** Categories from the left or the bottom; empty for numbers. */
  categories: Cell[];
}

export interface Points {
  faint: readonly number[];
  bright: readonly number[];
  colors: ColorScale;
  theme: Theme;
}

export function makeSide(column: Column, rows: readonly number[], wanted: number, kind?: ScaleKind): Side {
  const span = spanOf(column, rows);
  if (column.isNumber && span) {
    const own = scaleKind(kind, span);
    const scale = makeScale(own, padded(own, span));
    return { column, scale, ticks: valueTicks(scale, wanted), value: (row) => finiteOf(column, row), categories: [] };
  }
  const categories = sortedValues(
    column,
    [...groupByValue(column, rows).keys()].filter((value) => value !== null),
  );
  const at = new Map(categories.map((value, i) => [value, i]));
  const every = Math.max(1, Math.ceil(categories.length / Math.max(2, wanted)));
  const shown = categories.map((_, i) => i).filter((i) => i % every === 0);
  return {
    column,
    scale: makeScale("linear", [-0.5, Math.max(0, categories.length - 1) + 0.5]),
    ticks: { at: shown, labels: shown.map((i) => shortened(cellLabel(categories[i]!))) },
    value: (row) => at.get(cellOf(column, row)) ?? NaN,
    categories,
  };
}

const shortened = (label: string): string => (label.length > 14 ? `${label.slice(0, 13)}…` : label);

export function scatterFrame(x: Side, y: Side, width: number, height: number): Frame {
  const longest = Math.max(3, ...y.ticks.labels.map((label) => label.length));
  const box: Box = { left: Math.max(44, longest * CHAR_PX + 14), top: 10, right: width - 16, bottom: height - 28 };
  return makeFrame({ width, height, box, x: x.scale, y: y.scale, xKind: "value", xTicks: x.ticks, yTicks: y.ticks });
}

export function drawScatter(pen: Pen, frame: Frame, x: Side, y: Side, points: Points): void {
  drawAxes(pen, frame, points.theme);
  drawPoints(pen, frame, x, y, points, points.bright.length + points.faint.length > 1000 ? 2.5 : 4.5);
}

function drawPoints(
  pen: Pen,
  { px, py }: Pick<Frame, "px" | "py">,
  x: Side,
  y: Side,
  points: Points,
  radius: number,
): void {
  const { theme, colors } = points;
  const draw = (row: number, color: string): void => {
    const [at, up] = [px(x.value(row)), py(y.value(row))];
    if (!Number.isNaN(at + up)) fillCircle(pen, at, up, radius, color);
  };
  pen.globalAlpha = 0.5;
  for (const row of points.faint) draw(row, theme.axis);
  pen.globalAlpha = 0.85;
  for (let i = points.bright.length - 1; i >= 0; i--)
    draw(points.bright[i]!, colors.colors[colors.step(points.bright[i]!)] ?? theme.ink3);
  pen.globalAlpha = 1;
}

/** Draws the point of one trial above the others, with its name. */
export function drawPointed(pen: Pen, frame: Frame, x: Side, y: Side, row: number, name: string, theme: Theme): void {
  const [at, up] = [frame.px(x.value(row)), frame.py(y.value(row))];
  if (Number.isNaN(at + up)) return;
  fillCircle(pen, at, up, 7, theme.ink);
  fillCircle(pen, at, up, 5, theme.surface);
  fillCircle(pen, at, up, 3.5, theme.ink);
  const width = name.length * CHAR_PX;
  const isLeft = at + 14 + width > frame.width;
  drawText(pen, name, isLeft ? at - 12 : at + 12, up - 2, {
    font: `500 ${tickFont(theme)}`,
    color: theme.ink,
    align: isLeft ? "right" : "left",
  });
}

/** Returns the trial whose point is nearest, or null. */
export function trialAt(
  { px, py }: Frame,
  x: Side,
  y: Side,
  rows: readonly number[],
  at: number,
  up: number,
): number | null {
  let [nearest, best] = [null as number | null, 14];
  for (const row of rows) {
    const distance = Math.hypot(px(x.value(row)) - at, py(y.value(row)) - up);
    if (distance < best) [nearest, best] = [row, distance];
  }
  return nearest;
}

/** The range or categories between two positions on a side. */
export function sideBetween({ categories }: Side, a: number, b: number): { range?: Span; values?: Cell[] } {
  const [lo, hi] = [Math.min(a, b), Math.max(a, b)];
  if (categories.length) return { values: categories.filter((_, i) => i >= lo && i <= hi) };
  const round = (value: number): number => Number(value.toPrecision(3));
  return { range: [round(lo), round(hi)] };
}

/* ---- matrix ---- */
export interface MatrixCell {
  x: Side;
  y: Side;
  box: Box;
}

const LABEL_LEFT = 76;
const LABEL_BELOW = 30;
const GAP = 8;

/** Metrics are rows, hyperparameters columns. */
export function matrixCells(metrics: Side[], hparams: Side[], width: number, height: number): MatrixCell[] {
  const across = (width - LABEL_LEFT - 8) / Math.max(1, hparams.length);
  const down = (height - LABEL_BELOW) / Math.max(1, metrics.length);
  return metrics.flatMap((y, i) =>
    hparams.map((x, j) => ({
      x,
      y,
      box: {
        left: LABEL_LEFT + j * across,
        top: i * down + 4,
        right: LABEL_LEFT + (j + 1) * across - GAP,
        bottom: (i + 1) * down + 4 - GAP,
      },
    })),
  );
}

export function drawMatrix(
  pen: Pen,
  cells: MatrixCell[],
  hparams: number,
  points: Points,
  chosen: MatrixCell | null,
): void {
  const { theme } = points;
  cells.forEach((cell, i) => {
    const { x, y, box } = cell;
    const frame = cellFrame(cell);
    pen.strokeStyle = cell === chosen ? theme.accent : theme.grid;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.rect(
      Math.round(box.left) + 0.5,
      Math.round(box.top) + 0.5,
      Math.round(box.right - box.left),
      Math.round(box.bottom - box.top),
    );
    pen.stroke();
    drawPoints(pen, frame, x, y, points, 2);
    const style = { font: tickFont(theme), color: theme.ink2 };
    if (i % hparams === 0)
      drawText(pen, fit(y.column.title, LABEL_LEFT - 8), LABEL_LEFT - 10, (box.top + box.bottom) / 2, {
        ...style,
        align: "right",
      });
    if (i >= cells.length - hparams)
      drawText(pen, fit(x.column.title, box.right - box.left), (box.left + box.right) / 2, box.bottom + 14, {
        ...style,
        align: "center",
      });
  });
}

/** Keeps the end of a name, which tells tags apart. */
function fit(name: string, width: number): string {
  const chars = Math.max(3, Math.floor(width / CHAR_PX));
  return name.length > chars ? `…${name.slice(1 - chars)}` : name;
}

export function cellFrame({ x, y, box }: MatrixCell): Frame {
  const inner: Box = { left: box.left + 5, top: box.top + 5, right: box.right - 5, bottom: box.bottom - 5 };
  const none: Ticks = { at: [], labels: [] };
  return makeFrame({
    width: 0,
    height: 0,
    box: inner,
    x: x.scale,
    y: y.scale,
    xKind: "value",
    xTicks: none,
    yTicks: none,
  });
}
