import { expect, it } from "vitest";
import { bestF1, coordinates, earlierPlaces, f1At, indexAt, type PrCurve, scoreShares, thresholdAt } from "./curve";

const floats = (...values: number[]): Float64Array => Float64Array.from(values);

/** Scores 0.2 (other), 0.6 (other), 0.6 (positive) and 0.9 (positive), at the thresholds 0, 0.25, 0.5, 0.75 and 1. */
const curve: PrCurve = {
  step: 0,
  wall: 0,
  drawn: 4,
  positives: 2,
  others: 2,
  area: null,
  roc_area: null,
  true_positives: floats(2, 2, 2, 1, 0),
  false_positives: floats(2, 1, 1, 0, 0),
  true_negatives: floats(0, 1, 1, 2, 2),
  false_negatives: floats(0, 0, 0, 1, 2),
  precision: floats(0.5, 2 / 3, 2 / 3, 1, 0),
  recall: floats(1, 1, 1, 0.5, 0),
};

it("finds the nearest threshold", () => {
  expect([0, 0.12, 0.13, 0.5, 1, 7, -1].map((at) => indexAt(curve, at))).toEqual([0, 0, 1, 2, 4, 4, 0]);
  expect(thresholdAt(curve, 3)).toBe(0.75);
  const empty = { ...curve, recall: floats() };
  expect([indexAt(empty, 0.5), thresholdAt(empty, 0)]).toEqual([0, 0]);
});

it("computes F1 and where it is best, the lowest threshold of equal ones", () => {
  expect(f1At(curve, 1)).toBeCloseTo(0.8);
  expect(f1At(curve, 4)).toBe(0);
  expect(bestF1(curve)).toBe(1);
  expect(bestF1({ ...curve, precision: curve.precision.map(() => NaN) })).toBeNull();
});

it("ends the curve before the thresholds that nothing reaches, and ROC at the origin", () => {
  expect([...coordinates(curve, "pr")!.x]).toEqual([1, 1, 1, 0.5]);
  expect([...coordinates(curve, "roc")!.x]).toEqual([1, 0.5, 0.5, 0, 0]);
  expect([...coordinates(curve, "roc")!.y]).toEqual([1, 1, 1, 0.5, 0]);
  expect(coordinates({ ...curve, others: 0 }, "roc")).toBeNull();
});

it("distributes the scores of a class over bins", () => {
  expect(scoreShares(curve.true_positives, 4)).toEqual([0, 0, 0.5, 0.5]);
  expect(scoreShares(curve.false_positives, 4)).toEqual([0.5, 0, 0.5, 0]);
  expect(scoreShares(floats(0, 0), 2)).toEqual([0, 0]);
});

it("keeps the same earlier steps while the step moves", () => {
  expect(earlierPlaces(26, 25, 4)).toEqual([5, 10, 15, 20]);
  expect(earlierPlaces(26, 12, 4)).toEqual([0, 5, 10]);
  expect(earlierPlaces(3, 2, 4)).toEqual([0, 1]);
  expect(earlierPlaces(1, 0, 4)).toEqual([]);
});
