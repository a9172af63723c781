/** Data of a line chart: lines on one shared grid of x. The columns of a line are NaN where it has no point. */
import type { Span } from "../box";

/** Logged value that is not finite. */
export interface Mark {
  x: number;
  step: number;
  what: "nan" | "inf" | "-inf";
  count: number;
}

/** Another number of runs is behind a line from here on. */
export interface ChangeOfRuns {
  x: number;
  before: number;
  after: number;
}

/** What the line of a group of runs has in addition. Its `lo` and `hi` are the band. */
export interface LineGroup {
  /** Number of runs in the group, and behind each place of the line. */
  runs: number;
  n: Float32Array;
  /** Extremes of the line within the requested range. */
  min: { step: number; value: number } | null;
  max: { step: number; value: number } | null;
  /** Gaps of the line. */
  changes: ChangeOfRuns[];
  /** Number of runs that are left out somewhere, because their value is not finite. */
  nonFinite: number;
}

export interface Line {
  /** Unique in the chart: the run, and the tag if the chart has several. */
  key: string;
  run: string;
  tag: string;
  points: number;
  last: { step: number; wall: number; value: number };
  smooth: Float32Array;
  raw: Float32Array;
  /** Minimum and maximum of the raw values in each cell. Missing if no cell holds more than one point. */
  lo?: Float32Array;
  hi?: Float32Array;
  wall?: Float64Array;
  marks: Mark[];
  restarts: number[];
  /** Superseded by a restart: drawn dotted and left out of the tooltip. */
  attempt: boolean;
  group?: LineGroup;
}

/** Number of lines through each cell, for lines that are not drawn one by one. Rows from the top. */
export interface Density {
  width: number;
  height: number;
  x: Span;
  y: Span;
  scale: "linear" | "log";
  lines: number;
  count: Uint16Array;
  /** Minimum and maximum of the raw values in each column of the image, NaN without points. */
  lo: Float32Array;
  hi: Float32Array;
}

export interface ChartData {
  x: Float64Array;
  /** Requested range of x. `whole` if it covers all data. */
  span: Span;
  whole: boolean;
  exact: boolean;
  points: number;
  drawn: number;
  lines: Line[];
  density?: Density;
  /** The runs of groups, drawn faintly behind their lines. */
  members?: ChartData;
}

/** Returns the middle of a column of the density. */
export function columnX({ x: [from, to], width }: Density, column: number): number {
  return from + ((column + 0.5) / width) * (to - from);
}

/** Returns the first index whose x is not below the given one, or the length. */
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

/** Returns the index of the line's own point nearest to x, or -1 if x is outside the line. */
export function nearestPoint(xs: Float64Array, line: Line, x: number, tolerance = 0): number {
  const at = lowerBound(xs, x);
  const right = after(line.smooth, at);
  const left = before(line.smooth, at - 1);
  if (left < 0 && right < 0) return -1;
  if (right < 0) return x - xs[left]! <= tolerance ? left : -1;
  if (left < 0) return xs[right]! - x <= tolerance ? right : -1;
  return x - xs[left]! <= xs[right]! - x ? left : right;
}

/** Returns the value of the drawn line at x, interpolated between its points. NaN outside the line. */
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

/** Returns the x of the grid nearest to the given one. The crosshair snaps to it. */
export function snap(xs: Float64Array, x: number): number {
  if (!xs.length) return x;
  const i = lowerBound(xs, x);
  if (i === 0) return xs[0]!;
  if (i === xs.length) return xs[i - 1]!;
  return x - xs[i - 1]! <= xs[i]! - x ? xs[i - 1]! : xs[i]!;
}
