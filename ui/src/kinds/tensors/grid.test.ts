import { expect, it } from "vitest";
import { cellIndex, firstSlice, type Grid, rampPosition, rangeOf, showAxis, validIndex } from "./grid";

const grid: Grid = { values: new Float64Array(), rows: 4, columns: 3, top: 10, left: 0, height: 4, width: 10 };

it("keeps an index that fits the shape, and else takes the first matrix", () => {
  expect(firstSlice([5, 4, 3, 2])).toEqual([0, 0, null, null]);
  expect(validIndex([1, null, 2, null], [5, 4, 3, 2])).toEqual([1, null, 2, null]);
  for (const index of [null, [0, null], [5, 0, null, null], [0.5, 0, null, null], [null, null, null, 0]]) {
    expect(validIndex(index, [5, 4, 3, 2])).toEqual([0, 0, null, null]);
  }
  expect(validIndex([0], [])).toEqual([]);
});

it("shows an axis in place of the first of two others", () => {
  expect(showAxis([0, null, null], 0)).toEqual([null, 0, null]);
  expect(showAxis([3, null, 2], 2)).toEqual([3, null, null]);
});

it("names the elements of a cell", () => {
  expect(cellIndex([7, null, null], grid, 1, 0)).toBe("[7, 11, 0:3]");
  expect(cellIndex([7, null, null], grid, 3, 2)).toBe("[7, 13, 6:10]");
  expect(cellIndex([null, 2], { ...grid, columns: 1, width: 1 }, 0, 0)).toBe("[10, 2]");
  expect(cellIndex([], { ...grid, rows: 1, columns: 1, width: 1, height: 1 }, 0, 0)).toBe("[]");
});

it("leaves out what is not finite from the range", () => {
  expect(rangeOf(Float64Array.of(NaN, 2, Infinity, 5))).toEqual({ lo: 2, hi: 5, isDiverging: false });
  expect(rangeOf(Float64Array.of(-1, 5))?.isDiverging).toBe(true);
  expect(rangeOf(Float64Array.of(NaN))).toBeNull();
});

it("places values on a ramp, zero in the middle if there are values on both sides", () => {
  const both = { lo: -1, hi: 4, isDiverging: true };
  expect([-4, 0, 1, 4].map((value) => rampPosition(value, both, "linear"))).toEqual([0, 0.5, 0.625, 1]);
  expect(rampPosition(1, both, "sqrt")).toBe(0.75);
  const positive = { lo: 1, hi: 5, isDiverging: false };
  expect([1, 3, 5].map((value) => rampPosition(value, positive, "linear"))).toEqual([0, 0.5, 1]);
  expect(rampPosition(5, positive, "log")).toBe(1);
  const negative = { lo: -5, hi: -1, isDiverging: false };
  expect([-1, -5].map((value) => rampPosition(value, negative, "linear"))).toEqual([0, 1]);
  expect(rampPosition(2, { lo: 2, hi: 2, isDiverging: false }, "linear")).toBe(0.5);
});
