/* What every way of drawing a grid shares: the area, the room for the plot, the axes. */
import type { Span } from "../../charts/box";
import type { Pen } from "../../charts/pen";
import { makeScale } from "../../charts/scale";
import { linearTicks, xTicks, yLabels } from "../../charts/ticks";
import { type HistogramX, isFlat, type HistogramGrid, type Shape } from "./histogramGrid";

export interface Ink {
  surface: string;
  ink: string;
  ink3: string;
  grid: string;
  axis: string;
  font: string;
  /** From few to many. */
  ramp: string[];
}

export interface PlotArea {
  pen: Pen;
  width: number;
  height: number;
  /** Dots a pixel. */
  dense: number;
  ink: Ink;
}

/** A grid, and how it is to be drawn. */
export interface Scene {
  grid: HistogramGrid;
  /** The run's. */
  color: string;
  shape: Shape;
  x: HistogramX;
  /** What the x axis spans: the grid, or all that it is laid over. */
  span: Span;
  /** The values that the axis spans: those of the grid, or of all it stands beside. */
  range: Span;
  logCounts: boolean;
}

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

const LABEL_PX = 6.2;

export function plotBox(width: number, height: number, shape: Shape): Box {
  const [left, right] = isFlat(shape) ? [44, 12] : [12, shape === "ridge" ? 60 : 12];
  return { left, top: 8, width: Math.max(1, width - left - right), height: Math.max(1, height - 8 - 24) };
}

/** How tall a count stands, of 1. */
export function heightOf({ grid, logCounts }: Scene): (count: number) => number {
  const peak = grid.peak || 1;
  return logCounts ? (count) => Math.log1p(Math.max(0, count)) / Math.log1p(peak) : (count) => count / peak;
}

/** Where a value lies from left to right, as ridges have it. */
export function across({ range: [lo, hi] }: Scene, box: Box): (value: number) => number {
  return (value) => box.left + ((value - lo) / (hi - lo || 1)) * box.width;
}

/** Where a value lies from top to bottom, as heat maps and bands have it. */
export function upward({ range: [lo, hi] }: Scene, box: Box): (value: number) => number {
  return (value) => box.top + box.height * (1 - (value - lo) / (hi - lo || 1));
}

/** Where a place on the time axis lies between two pixels; a single place is in the middle. */
export function along({ span: [lo, hi] }: Scene, from: number, length: number): (x: number) => number {
  return lo < hi ? (x) => from + ((x - lo) / (hi - lo)) * length : () => from + length / 2;
}

/** Values along the bottom. */
export function drawValueAxis({ pen, ink }: PlotArea, box: Box, scene: Scene): void {
  const ticks = linearTicks(...scene.range, Math.max(3, Math.floor(box.width / 60)));
  const labels = yLabels(ticks, makeScale("linear", scene.range));
  const place = across(scene, box);
  ticks.forEach((tick, i) => {
    line(pen, ink.grid, place(tick), box.top, place(tick), box.top + box.height);
    write(pen, ink.font, ink.ink3, "center", labels[i]!, place(tick), box.top + box.height + 13);
  });
}

/** Values up the left, steps or time along the bottom. A tall plot has its ticks further apart. */
export function drawTimeAxis({ pen, ink }: PlotArea, box: Box, scene: Scene): void {
  const values = linearTicks(...scene.range, Math.max(2, Math.floor(Math.sqrt(box.height) / 3)));
  const labels = yLabels(values, makeScale("linear", scene.range));
  const high = upward(scene, box);
  values.forEach((value, i) => {
    line(pen, ink.grid, box.left, high(value), box.left + box.width, high(value));
    write(pen, ink.font, ink.ink3, "right", labels[i]!, box.left - 8, high(value));
  });
  const place = along(scene, box.left, box.width);
  const steps = xTicks(scene.x, ...scene.span, Math.max(2, Math.floor(box.width / 100)));
  steps.at.forEach((at, i) => {
    const label = steps.labels[i]!;
    // The card would cut the last one.
    const x = Math.min(place(at), box.left + box.width + 10 - (label.length * LABEL_PX) / 2);
    write(pen, ink.font, ink.ink3, "center", label, x, box.top + box.height + 13);
  });
  line(pen, ink.axis, box.left, box.top + box.height, box.left + box.width, box.top + box.height);
}

export function write(
  pen: Pen,
  font: string,
  color: string,
  align: CanvasTextAlign,
  words: string,
  x: number,
  y: number,
): void {
  pen.font = font;
  pen.fillStyle = color;
  pen.textAlign = align;
  pen.textBaseline = "middle";
  pen.fillText(words, x, y);
}

export function line(pen: Pen, color: string, x0: number, y0: number, x1: number, y1: number): void {
  const crisp = (v: number): number => Math.round(v) + 0.5;
  pen.strokeStyle = color;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(crisp(x0), crisp(y0));
  pen.lineTo(crisp(x1), crisp(y1));
  pen.stroke();
}
