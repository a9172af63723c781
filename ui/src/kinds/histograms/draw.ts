/* The four ways to draw a picture: ridges over steps, all on one ground, a heat map of value × step, and bands of percentiles. */
import { linearTicks, xTicks, yLabels } from "../../charts/ticks";
import { makeScale } from "../../charts/scale";
import { columnEdges, type HistogramX, type Picture, valueAt } from "./picture";

export interface Ink {
  surface: string;
  ink: string;
  ink3: string;
  grid: string;
  axis: string;
  colour: string;
  font: string;
  /** From few to many. */
  ramp: string[];
}

export interface Sheet {
  context: CanvasRenderingContext2D;
  width: number;
  height: number;
  ink: Ink;
}

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

const RIDGE_SHARE = 0.42;

export function plotBox(width: number, height: number, shape: "ridge" | "overlay" | "heat" | "bands"): Box {
  const flat = shape === "heat" || shape === "bands";
  const [left, right] = flat ? [44, 12] : [12, shape === "ridge" ? 56 : 12];
  return { left, top: 8, width: Math.max(1, width - left - right), height: Math.max(1, height - 8 - 24) };
}

export function drawRidges(sheet: Sheet, picture: Picture, column: number | null): void {
  const box = plotBox(sheet.width, sheet.height, "ridge");
  const { context, ink } = sheet;
  drawValueAxis(sheet, box, picture);
  for (let i = 0; i < picture.columns; i++) {
    const path = outline(picture, i, box, ridgeBase(box, picture.columns, i), box.height * RIDGE_SHARE);
    context.fillStyle = ink.surface;
    context.globalAlpha = 0.75;
    context.fill(path);
    context.fillStyle = ink.colour;
    context.globalAlpha = 0.12 + 0.3 * (i / Math.max(1, picture.columns - 1));
    context.fill(path);
    context.globalAlpha = 1;
    context.strokeStyle = i === column ? ink.ink : ink.colour;
    context.lineWidth = i === column ? 1.5 : 0.75;
    context.stroke(path);
  }
  drawRidgeSteps(sheet, box, picture, column);
}

export function ridgeBase(box: Box, columns: number, column: number): number {
  const room = box.height * (1 - RIDGE_SHARE);
  return box.top + box.height - room + (columns > 1 ? (room * column) / (columns - 1) : room);
}

function drawRidgeSteps({ context, ink }: Sheet, box: Box, picture: Picture, column: number | null): void {
  const last = picture.columns - 1;
  context.textAlign = "left";
  context.textBaseline = "middle";
  const marked = column ?? -1;
  const apart = (a: number, b: number): boolean => Math.abs(ridgeBase(box, picture.columns, a) - ridgeBase(box, picture.columns, b)) >= 13;
  for (const i of new Set([0, last, marked])) {
    if (i < 0 || (i !== marked && marked >= 0 && !apart(i, marked))) continue;
    context.fillStyle = i === marked ? ink.ink : ink.ink3;
    context.fillText(xTicks("step", picture.first[i]!, picture.first[i]!, 1).labels[0]!, box.left + box.width + 6, ridgeBase(box, picture.columns, i) - 3);
  }
}

export function drawOverlay(sheet: Sheet, picture: Picture, column: number | null): void {
  const box = plotBox(sheet.width, sheet.height, "overlay");
  const { context, ink } = sheet;
  drawValueAxis(sheet, box, picture);
  for (let i = 0; i < picture.columns; i++) {
    context.globalAlpha = i === column ? 1 : 0.15 + 0.6 * (i / Math.max(1, picture.columns - 1)) ** 2;
    context.strokeStyle = i === column ? ink.ink : ink.colour;
    context.lineWidth = i === column ? 1.75 : 1;
    context.stroke(outline(picture, i, box, box.top + box.height, box.height));
  }
  context.globalAlpha = 1;
}

function outline(picture: Picture, column: number, box: Box, base: number, tallest: number): Path2D {
  const path = new Path2D();
  const scale = tallest / (picture.peak || 1);
  path.moveTo(box.left, base);
  for (let row = 0; row < picture.rows; row++) {
    path.lineTo(box.left + ((row + 0.5) / picture.rows) * box.width, base - picture.counts[column * picture.rows + row]! * scale);
  }
  path.lineTo(box.left + box.width, base);
  return path;
}

export function drawHeat(sheet: Sheet, picture: Picture, x: HistogramX, logCounts: boolean, column: number | null): void {
  const box = plotBox(sheet.width, sheet.height, "heat");
  drawSteps(sheet, box, picture, x);
  const { context, ink } = sheet;
  const edges = columnEdges(picture, x);
  const place = placer(edges, box);
  const tall = box.height / picture.rows;
  const share = logCounts ? (count: number) => Math.log1p(count) / Math.log1p(picture.peak) : (count: number) => count / picture.peak;
  for (let i = 0; i < picture.columns; i++) {
    const left = place(edges[i]!);
    const wide = Math.max(1, place(edges[i + 1]!) - left);
    for (let row = 0; row < picture.rows; row++) {
      const count = picture.counts[i * picture.rows + row]!;
      if (count <= 0) continue;
      context.fillStyle = ink.ramp[Math.min(ink.ramp.length - 1, Math.floor(share(count) * ink.ramp.length))]!;
      context.fillRect(left, box.top + box.height - (row + 1) * tall, wide + 0.5, tall + 0.5);
    }
  }
  if (column !== null) drawCursor(sheet, box, place((edges[column]! + edges[column + 1]!) / 2));
}

export function drawBands(sheet: Sheet, picture: Picture, x: HistogramX, column: number | null): void {
  const box = plotBox(sheet.width, sheet.height, "bands");
  drawSteps(sheet, box, picture, x);
  const { context, ink } = sheet;
  const edges = columnEdges(picture, x);
  const place = picture.columns > 1 ? placer(edges.subarray(0, picture.columns), box) : () => box.left + box.width / 2;
  const [lo, hi] = picture.values;
  const high = (value: number): number => box.top + box.height * (1 - (value - lo) / (hi - lo));
  context.fillStyle = ink.colour;
  context.globalAlpha = 0.16;
  for (let inner = 0; inner < 4; inner++) {
    const path = new Path2D();
    for (let i = 0; i < picture.columns; i++) path.lineTo(place(edges[i]!), high(picture.bands[inner]![i]!));
    for (let i = picture.columns - 1; i >= 0; i--) path.lineTo(place(edges[i]!), high(picture.bands[8 - inner]![i]!));
    context.fill(path);
  }
  context.globalAlpha = 1;
  const median = new Path2D();
  for (let i = 0; i < picture.columns; i++) median.lineTo(place(edges[i]!), high(picture.bands[4]![i]!));
  context.strokeStyle = ink.colour;
  context.lineWidth = 1.5;
  context.stroke(median);
  if (column !== null) drawCursor(sheet, box, place(edges[column]!));
}

/** From x to pixels. */
export function placer(edges: Float64Array, box: Box): (x: number) => number {
  const [lo, hi] = [edges[0]!, edges[edges.length - 1]!];
  return (x) => box.left + ((x - lo) / (hi - lo || 1)) * box.width;
}

function drawCursor({ context, ink }: Sheet, box: Box, x: number): void {
  context.strokeStyle = ink.ink;
  context.lineWidth = 1;
  context.setLineDash([2, 2]);
  context.beginPath();
  context.moveTo(Math.round(x) + 0.5, box.top);
  context.lineTo(Math.round(x) + 0.5, box.top + box.height);
  context.stroke();
  context.setLineDash([]);
}

/** Values along the bottom, as ridges have them. */
function drawValueAxis({ context, ink }: Sheet, box: Box, picture: Picture): void {
  const ticks = linearTicks(...picture.values, Math.max(3, Math.floor(box.width / 60)));
  const labels = yLabels(ticks, makeScale("linear", picture.values));
  context.font = ink.font;
  context.textAlign = "center";
  context.textBaseline = "top";
  ticks.forEach((tick, i) => {
    const x = box.left + ((tick - picture.values[0]) / (picture.values[1] - picture.values[0])) * box.width;
    line(context, ink.grid, x, box.top, x, box.top + box.height);
    context.fillStyle = ink.ink3;
    context.fillText(labels[i]!, x, box.top + box.height + 7);
  });
}

/** Values up the left, steps or time along the bottom, as heat maps and bands have them. */
function drawSteps({ context, ink }: Sheet, box: Box, picture: Picture, x: HistogramX): void {
  const values = linearTicks(...picture.values, Math.max(2, Math.floor(box.height / 38)));
  const labels = yLabels(values, makeScale("linear", picture.values));
  context.font = ink.font;
  context.textAlign = "right";
  context.textBaseline = "middle";
  values.forEach((value, i) => {
    const y = box.top + box.height * (1 - (value - picture.values[0]) / (picture.values[1] - picture.values[0]));
    line(context, ink.grid, box.left, y, box.left + box.width, y);
    context.fillStyle = ink.ink3;
    context.fillText(labels[i]!, box.left - 8, y);
  });
  const edges = columnEdges(picture, x);
  const place = placer(edges, box);
  const steps = xTicks(x, edges[0]!, edges[edges.length - 1]!, Math.max(2, Math.floor(box.width / 76)));
  context.textAlign = "center";
  context.textBaseline = "top";
  context.fillStyle = ink.ink3;
  steps.at.forEach((at, i) => context.fillText(steps.labels[i]!, inside(context, steps.labels[i]!, place(at), box), box.top + box.height + 7));
  line(context, ink.axis, box.left, box.top + box.height, box.left + box.width, box.top + box.height);
}

/** Where a centred label stands so that the card does not cut it. */
function inside(context: CanvasRenderingContext2D, label: string, x: number, box: Box): number {
  return Math.min(x, box.left + box.width + 10 - context.measureText(label).width / 2);
}

function line(context: CanvasRenderingContext2D, colour: string, x0: number, y0: number, x1: number, y1: number): void {
  const crisp = (v: number): number => Math.round(v) + 0.5;
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(crisp(x0), crisp(y0));
  context.lineTo(crisp(x1), crisp(y1));
  context.stroke();
}

/** What is under the pointer: a column, and in a heat map also a row. */
export function hit(picture: Picture, shape: "ridge" | "overlay" | "heat" | "bands", x: HistogramX, width: number, height: number, px: number, py: number): { column: number; row: number } | null {
  const box = plotBox(width, height, shape);
  if (px < box.left || px > box.left + box.width || py < box.top || py > box.top + box.height || !picture.columns) return null;
  const row = Math.min(picture.rows - 1, Math.floor((1 - (py - box.top) / box.height) * picture.rows));
  if (shape === "heat" || shape === "bands") {
    const edges = columnEdges(picture, x);
    const at = edges[0]! + ((px - box.left) / box.width) * (edges[edges.length - 1]! - edges[0]!);
    let column = 0;
    while (column + 1 < picture.columns && edges[column + 1]! <= at) column++;
    return { column, row };
  }
  const across = Math.min(picture.rows - 1, Math.floor(((px - box.left) / box.width) * picture.rows));
  return { column: shape === "ridge" ? nearestRidge(box, picture.columns, py) : picture.columns - 1, row: across };
}

function nearestRidge(box: Box, columns: number, py: number): number {
  let best = 0;
  for (let i = 1; i < columns; i++) if (Math.abs(ridgeBase(box, columns, i) - py) < Math.abs(ridgeBase(box, columns, best) - py)) best = i;
  return best;
}

/** The values that a row spans. */
export function rowSpan(picture: Picture, row: number): [number, number] {
  return [valueAt(picture, row), valueAt(picture, row + 1)];
}
