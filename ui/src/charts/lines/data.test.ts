import { describe, expect, test } from "vitest";
import { type Line, lowerBound } from "./data";
import { heightAt, nearestPoint, snap } from "./nearest";
import { testLine } from "./testLine";

const xs = Float64Array.from([0, 10, 20, 30, 40]);

const line = (values: number[]): Line => testLine("r", values);

test.each([
  [-1, 0],
  [0, 0],
  [11, 2],
  [40, 4],
  [41, 5],
])("lowerBound of %d is %d", (x, index) => expect(lowerBound(xs, x)).toBe(index));

describe("a line that has points only at some x", () => {
  const sparse = line([1, NaN, 3, NaN, NaN]);

  test("returns its own nearest point, not that of the grid", () => {
    expect(nearestPoint(xs, sparse, 9)).toBe(0);
    expect(nearestPoint(xs, sparse, 11)).toBe(2);
  });

  test("has no point beyond its end, unless within the tolerance", () => {
    expect(nearestPoint(xs, sparse, 25)).toBe(-1);
    expect(nearestPoint(xs, sparse, 25, 5)).toBe(2);
  });

  test("is interpolated between its points and not beyond them", () => {
    expect(heightAt(xs, sparse.smooth, 15)).toBeCloseTo(2.5);
    expect(heightAt(xs, sparse.smooth, 21)).toBeNaN();
  });
});

test.each([
  [14, 10],
  [16, 20],
  [-5, 0],
  [99, 40],
])("the crosshair at %d snaps to %d", (x, snapped) => expect(snap(xs, x)).toBe(snapped));
