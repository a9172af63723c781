/** Arithmetic of one precision-recall curve: what its counts say at a threshold. */
import type { PrCurveHead } from "../../api/types";

/** Precision against recall, or true positive rate against false positive rate. */
export type Space = "pr" | "roc";

export interface PrCurve extends PrCurveHead {
  /** By threshold: threshold k is k / (length − 1). */
  true_positives: Float64Array;
  false_positives: Float64Array;
  true_negatives: Float64Array;
  false_negatives: Float64Array;
  precision: Float64Array;
  recall: Float64Array;
}

export interface Coordinates {
  x: Float64Array;
  y: Float64Array;
}

export function thresholdAt({ recall }: PrCurve, index: number): number {
  return recall.length > 1 ? index / (recall.length - 1) : 0;
}

/** Returns the index of the nearest threshold. */
export function indexAt({ recall }: PrCurve, threshold: number): number {
  const last = Math.max(0, recall.length - 1);
  return Math.max(0, Math.min(last, Math.round(threshold * last)));
}

export function f1At({ precision, recall }: PrCurve, index: number): number {
  const sum = precision[index]! + recall[index]!;
  return sum === 0 ? 0 : (2 * precision[index]! * recall[index]!) / sum;
}

/** Returns the index of the lowest threshold with the best F1, or null if none has one. */
export function bestF1(curve: PrCurve): number | null {
  let best: number | null = null;
  for (let i = 0; i < curve.drawn; i++) {
    const f1 = f1At(curve, i);
    if (!Number.isNaN(f1) && (best === null || f1 > f1At(curve, best))) best = i;
  }
  return best;
}

/** Whether the counts are known, and there are examples of both classes. */
export const hasCounts = ({ positives, others }: PrCurve): boolean => Boolean(positives) && Boolean(others);

/** Returns the points of a curve by threshold, or null if its counts do not determine it. Invalid points are NaN. */
export function coordinates(curve: PrCurve, space: Space): Coordinates | null {
  if (space === "pr") {
    return { x: curve.recall.subarray(0, curve.drawn), y: curve.precision.subarray(0, curve.drawn) };
  }
  if (!hasCounts(curve)) return null;
  return {
    x: curve.false_positives.map((count) => count / curve.others!),
    y: curve.true_positives.map((count) => count / curve.positives!),
  };
}

/** Returns how the scores of one class are distributed over `bins` equal intervals: the share of the class in each. */
export function scoreShares(counts: Float64Array, bins: number): number[] {
  const shares = new Array<number>(bins).fill(0);
  const total = Math.max(counts[0] ?? 0, Number.MIN_VALUE);
  counts.forEach((count, i) => {
    const here = Math.max(0, count - (counts[i + 1] ?? 0));
    const bin = Math.min(bins - 1, Math.floor((i / Math.max(1, counts.length - 1)) * bins));
    shares[bin]! += here / total;
  });
  return shares;
}

/** Returns at most `count` indices before `place`, evenly among all `length` of them, so that they stay the same for each place. */
export function earlierPlaces(length: number, place: number, count: number): number[] {
  const all = Array.from({ length: count + 1 }, (_, i) => Math.round((i * (length - 1)) / (count + 1)));
  return [...new Set(all)].filter((index) => index < place).slice(-count);
}
