/** What a chart draws: lines on one shared grid of x. Where a line has no point its columns hold NaN. */
import type { Span } from "../box";

export interface Mark {
  x: number;
  step: number;
  what: "nan" | "inf" | "-inf";
  count: number;
}

export interface Line {
  /** Unlike any other line of the chart: the run, and the tag where a chart has several. */
  key: string;
  run: string;
  tag: string;
  points: number;
  last: { step: number; wall: number; value: number };
  smooth: Float32Array;
  raw: Float32Array;
  /** Least and greatest raw value of a cell; only where a cell holds more than one point. */
  lo?: Float32Array;
  hi?: Float32Array;
  wall?: Float64Array;
  marks: Mark[];
  restarts: number[];
  /** A try that a restart replaced: shown dotted, and left out of the tooltip. */
  attempt: boolean;
}

/** How many of the lines that are not drawn one by one pass through each cell, row by row from the top. */
export interface Density {
  width: number;
  height: number;
  x: Span;
  y: Span;
  scale: "linear" | "log";
  lines: number;
  count: Uint16Array;
}

export interface ChartData {
  x: Float64Array;
  /** What x was asked for; `whole` when that is all there is. */
  span: Span;
  whole: boolean;
  exact: boolean;
  points: number;
  drawn: number;
  lines: Line[];
  density?: Density;
}

/** The first index whose x is not below the given one; the length when there is none. */
export function lowerBound(xs: Float64Array, x: number): number {
  let lo = 0;
  let hi = xs.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (xs[mid]! < x) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

const before = (column: Float32Array, from: number): number => {
  let i = Math.min(from, column.length - 1);
  while (i >= 0 && Number.isNaN(column[i]!)) i--;
  return i;
};

const after = (column: Float32Array, from: number): number => {
  let i = Math.max(from, 0);
  while (i < column.length && Number.isNaN(column[i]!)) i++;
  return i < column.length ? i : -1;
};

/** The line's own point nearest to x, or -1 where x lies outside the line. */
export function nearestPoint(xs: Float64Array, line: Line, x: number, tolerance = 0): number {
  const at = lowerBound(xs, x);
  const right = after(line.smooth, at);
  const left = before(line.smooth, at - 1);
  if (left < 0 && right < 0) return -1;
  if (right < 0) return x - xs[left]! <= tolerance ? left : -1;
  if (left < 0) return xs[right]! - x <= tolerance ? right : -1;
  return x - xs[left]! <= xs[right]! - x ? left : right;
}

/** Where the drawn line is at x, between its points; NaN outside the line. */
export function heightAt(xs: Float64Array, column: Float32Array, x: number): number {
  const at = lowerBound(xs, x);
  const right = after(column, at);
  if (right < 0) return NaN;
  if (xs[right] === x) return column[right]!;
  const left = before(column, at - 1);
  if (left < 0) return NaN;
  const share = (x - xs[left]!) / (xs[right]! - xs[left]!);
  return column[left]! + share * (column[right]! - column[left]!);
}

/** The grid's x nearest to the given one: what a crosshair snaps to. */
export function snap(xs: Float64Array, x: number): number {
  if (!xs.length) return x;
  const i = lowerBound(xs, x);
  if (i === 0) return xs[0]!;
  if (i === xs.length) return xs[i - 1]!;
  return x - xs[i - 1]! <= xs[i]! - x ? xs[i - 1]! : xs[i]!;
}

export interface Extreme {
  value: number;
  x: number;
}

/** The least or greatest raw value of a line within a span of x. */
export function extreme(data: ChartData, line: Line, span: Span, side: "min" | "max"): Extreme | null {
  const column = (side === "min" ? line.lo : line.hi) ?? line.raw;
  const better = side === "min" ? (a: number, b: number) => a < b : (a: number, b: number) => a > b;
  let found: Extreme | null = null;
  for (let i = lowerBound(data.x, span[0]); i < data.x.length && data.x[i]! <= span[1]; i++) {
    const value = column[i]!;
    if (!Number.isNaN(value) && (!found || better(value, found.value))) found = { value, x: data.x[i]! };
  }
  return found;
}
