/** Data of a line chart: lines on one shared grid of x. The columns of a line are NaN where it has no point. */
import type { FormulaProblem } from "../../api/types";
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
  /** The smallest or largest value, if it is to be marked. */
  best?: { x: number; step: number; value: number; direction: "min" | "max" };
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
  /** Why some formulas have no lines. */
  problems?: FormulaProblem[];
  /** Tags that formulas read. */
  reads?: string[];
  /** The runs of groups, drawn faintly behind their lines. */
  members?: ChartData;
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
