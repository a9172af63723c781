/** Which values the y axis spans when nobody says. */
import type { Span } from "../box";
import { lowerBound, type ChartData } from "./data";
import type { ScaleKind } from "../scale";
import { niceSpan } from "../ticks";

export interface ExtentRule {
  scale: ScaleKind;
  /** Leave out what lies far from the middle nine tenths of the smoothed values. */
  ignoreOutliers: boolean;
  window: Span;
}

export function yExtent(data: ChartData, rule: ExtentRule): Span {
  // The picture of a crowd has been cut by the same rule, over all of its lines.
  if (data.density && rule.ignoreOutliers && (rule.scale === "log") === (data.density.scale === "log"))
    return fitted(data.density.y, rule.scale);
  const values = visibleValues(data, rule);
  if (!values.length) return rule.scale === "log" ? [0.1, 10] : [0, 1];
  return fitted(rule.ignoreOutliers ? withoutOutliers(values) : outermost(values), rule.scale);
}

function fitted([lo, hi]: Span, scale: ScaleKind): Span {
  return scale === "log" ? logSpan(lo, hi) : niceSpan(...widened(lo, hi));
}

function outermost(values: Float64Array): Span {
  let [lo, hi] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < lo) lo = value;
    if (value > hi) hi = value;
  }
  return [lo, hi];
}

/** How far beyond the middle nine tenths a value may lie, as a share of their height: the curve keeps half the chart. */
const OUTLIER_ROOM = 0.5;

/** TensorBoard cuts the lowest and the highest 5 % off, whatever they are: the start of every loss, the top of every
    schedule. Here they go only if they would flatten the rest, and 5 % of fewer than twenty values is none. */
export function withoutOutliers(values: Float64Array): Span {
  const last = values.length - 1;
  const [lo, hi] = [select(values, Math.floor(last * 0.05)), select(values, Math.ceil(last * 0.95))];
  const room = (hi - lo) * OUTLIER_ROOM;
  const [least, greatest] = outermost(values);
  return [Math.max(least, lo - room), Math.min(greatest, hi + room)];
}

/** The value at a place of the order, without putting all in order (quickselect): a chart of 60 lines has 40 000 values. */
function select(values: Float64Array, place: number): number {
  let lo = 0;
  let hi = values.length - 1;
  while (lo < hi) {
    const pivot = values[(lo + hi) >> 1]!;
    let i = lo;
    let j = hi;
    while (i <= j) {
      while (values[i]! < pivot) i++;
      while (values[j]! > pivot) j--;
      if (i > j) break;
      [values[i], values[j]] = [values[j]!, values[i]!];
      i++;
      j--;
    }
    if (place <= j) hi = j;
    else if (place >= i) lo = i;
    else return values[place]!;
  }
  return values[place]!;
}

function visibleValues(data: ChartData, rule: ExtentRule): Float64Array {
  const from = lowerBound(data.x, rule.window[0]);
  const to = upperEnd(data.x, rule.window[1]);
  const out: number[] = [];
  const take = (column: Float32Array): void => {
    for (let i = from; i < to; i++) {
      const value = column[i]!;
      if (Number.isFinite(value) && (rule.scale !== "log" || value > 0)) out.push(value);
    }
  };
  for (const line of data.lines) {
    take(line.smooth);
    if (rule.ignoreOutliers) continue;
    take(line.lo ?? line.raw);
    take(line.hi ?? line.raw);
  }
  if (data.density && !rule.ignoreOutliers) out.push(...data.density.y.filter((y) => rule.scale !== "log" || y > 0));
  return Float64Array.from(out);
}

function upperEnd(xs: Float64Array, x: number): number {
  let i = lowerBound(xs, x);
  while (i < xs.length && xs[i] === x) i++;
  return i;
}

/** A flat line lies in the middle of an axis as tall as its own size. */
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

/** Where a symlog axis bends: the power of ten below which a tenth of the values lie. */
export function symlogBend(data: ChartData): number {
  const sizes = data.lines.flatMap((line) =>
    Array.from(line.smooth, Math.abs).filter((v) => v > 0 && Number.isFinite(v)),
  );
  if (!sizes.length) return 1;
  sizes.sort((a, b) => a - b);
  return 10 ** Math.floor(Math.log10(sizes[Math.floor(sizes.length / 10)]!));
}
