import { expect, test } from "vitest";
import { curveFrame, curveOf, nearestStep, quartiles } from "./curveScene";

const curves = { steps: [0, 10], heads: 3, skipped: 0, values: Float32Array.of(1, 5, 3, 2, NaN, 4) };

test("a head's values are read by step", () => {
  expect(curveOf(curves, 2)).toEqual([3, 4]);
  expect(curveOf(curves, 7)).toEqual([NaN, NaN]);
});

test("quartiles leave out heads without a value", () => {
  expect(quartiles({ ...curves, heads: 3 })).toEqual({ steps: [0, 10], low: [3, 2], high: [5, 4] });
});

test("one step, and equal values, still have a frame", () => {
  const band = { steps: [5], low: [1], high: [1] };
  const frame = curveFrame([{ steps: [5], values: [1], color: "" }], band, 400, 200)!;
  expect(frame.px(5)).toBeGreaterThan(frame.box.left);
  expect(curveFrame([], { steps: [], low: [], high: [] }, 400, 200)).toBeNull();
});

test("the nearest step is found under the pointer", () => {
  const frame = curveFrame([{ steps: [0, 10], values: [1, 2], color: "" }], quartiles(curves), 400, 200)!;
  expect(nearestStep(frame, [0, 10], frame.px(9))).toBe(10);
  expect(nearestStep(frame, [0, 10], frame.px(1))).toBe(0);
});
