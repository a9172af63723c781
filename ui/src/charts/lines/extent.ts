/** Automatic range of the y axis. */
import type { Span } from "../box";
import { lowerBound, type ChartData, type Line } from "./data";
import type { ScaleKind } from "../scale";
import { niceSpan } from "../ticks";
import { select } from "./select";

export interface ExtentRule {
  scale: ScaleKind;
  /** Leave out values far from the middle 90 % of all values. */
  ignoreOutliers: boolean;
  window: Span;
}

/** With fewer points in the window, every point of a series is in the range. */
const SHORT = 50;

/** Returns the range of the raw and the smoothed values in the window. */
export function yExtent(data: ChartData, rule: ExtentRule): Span {
  const isLog = rule.scale === "log";
  const isTrimmed = (line: Line): boolean => rule.ignoreOutliers && line.points >= SHORT;
  const density = densityValues(data, rule)
    .map((value) => scaled(value, rule.scale))
    .filter(Number.isFinite);
  const spans = [
    outermost(visibleValues(data, rule, (line) => !isTrimmed(line))),
    withoutOutliers(visibleValues(data, rule, isTrimmed)),
    outermost(density),
  ];
  const [lo, hi] = [Math.min(...spans.map(([lo]) => lo)), Math.max(...spans.map(([, hi]) => hi))];
  if (lo > hi) return isLog ? [0.1, 10] : [0, 1];
  return isLog ? logSpan(10 ** lo, 10 ** hi) : niceSpan(...widened(lo, hi));
}

/** The server has left out the outliers from the range of the density, but not from its extremes. */
function densityValues({ density }: ChartData, { ignoreOutliers }: ExtentRule): readonly number[] {
  if (!density) return [];
  return ignoreOutliers ? density.y : [...density.y, ...density.lo, ...density.hi];
}

/** Returns a value as the axis spaces it, so that an outlier on a log axis is one of the logarithms. */
const scaled = (value: number, scale: ScaleKind): number => (scale === "log" ? Math.log10(value) : value);

function outermost(values: Iterable<number>): Span {
  let [lo, hi] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < lo) lo = value;
    if (value > hi) hi = value;
  }
  return [lo, hi];
}

/** Distance that a value may have from the middle 90 %, as a fraction of their range. The curve keeps half of the chart. */
const OUTLIER_DISTANCE = 0.5;
/** Outliers stay in the range if it is at most this much longer with them. The tails of ordinary noise are no outliers. */
const MAX_GROWTH = 1.3;

/** Returns the range without outliers. TensorBoard always leaves out the lowest and highest 5 %, such as the start of a loss.
    This leaves them out only if they would flatten the rest. */
export function withoutOutliers(values: Float64Array): Span {
  const [least, greatest] = outermost(values);
  if (!values.length) return [least, greatest];
  const last = values.length - 1;
  const [lo, hi] = [select(values, Math.floor(last * 0.05)), select(values, Math.ceil(last * 0.95))];
  const room = (hi - lo) * OUTLIER_DISTANCE;
  const trimmed: Span = [Math.max(least, lo - room), Math.min(greatest, hi + room)];
  return greatest - least <= MAX_GROWTH * (trimmed[1] - trimmed[0]) ? [least, greatest] : trimmed;
}

/** Returns the scaled values of some lines in the window: of each cell the smoothed value, the minimum and the maximum. */
function visibleValues(data: ChartData, rule: ExtentRule, isIncluded: (line: Line) => boolean): Float64Array {
  const from = lowerBound(data.x, rule.window[0]);
  const to = upperEnd(data.x, rule.window[1]);
  const columns = data.lines
    .filter(isIncluded)
    .flatMap(({ smooth, raw, lo = raw, hi = raw }) => [...new Set([smooth, lo, hi])]);
  const out = new Float64Array(columns.length * Math.max(0, to - from));
  let count = 0;
  for (const column of columns) {
    for (let i = from; i < to; i++) {
      const value = scaled(column[i]!, rule.scale);
      if (Number.isFinite(value)) out[count++] = value;
    }
  }
  return out.subarray(0, count);
}

function upperEnd(xs: Float64Array, x: number): number {
  let i = lowerBound(xs, x);
  while (i < xs.length && xs[i] === x) i++;
  return i;
}

/** Puts a flat line in the middle of an axis whose height is the absolute value of the line. */
function widened(lo: number, hi: number): Span {
  if (hi > lo) return [lo, hi];
  const room = Math.abs(lo) / 2 || 1;
  return [lo - room, hi + room];
}

function logSpan(lo: number, hi: number): Span {
  if (hi / lo < 1.01) return [lo / 2, hi * 2];
  const room = (hi / lo) ** 0.03;
  return [lo / room, hi * room];
}

/** Returns the bend of a symlog axis: the power of ten below which 10 % of the values lie. */
export function symlogBend(data: ChartData): number {
  const sizes = data.lines.flatMap((line) =>
    Array.from(line.smooth, Math.abs).filter((v) => v > 0 && Number.isFinite(v)),
  );
  if (!sizes.length) return 1;
  sizes.sort((a, b) => a - b);
  return 10 ** Math.floor(Math.log10(sizes[Math.floor(sizes.length / 10)]!));
}
