import { describe, expect, it } from "vitest";
import { columnAt, columnEdges, parseHistogramGrid, timeSpan, valueAt } from "./histogramGrid";

const head = { key: "a", steps: 30, skipped: 0, columns: 3, rows: 2, values: [-1, 1] as [number, number] };
const band = Float64Array.of(0, 0, 0);
const columns = {
  first: Float64Array.of(0, 10, 20),
  last: Float64Array.of(9, 19, 29),
  wall: Float64Array.of(100, 160, 220),
  merged: Float64Array.of(10, 10, 10),
  ...Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`b${i}`, band])),
};
const grid = parseHistogramGrid(head, columns, { count: Float32Array.of(1, 2, 3, 8, 5, 6) });

describe("a histogram grid", () => {
  it("has the maximum count as its peak", () => expect(grid.peak).toBe(8));

  it("places its columns by step, relative time or wall time", () => {
    expect([...columnEdges(grid, "step")]).toEqual([0, 10, 20, 30]);
    expect([...columnEdges(grid, "relative")]).toEqual([0, 60, 120, 180]);
    expect([...columnEdges(grid, "wall")]).toEqual([100, 160, 220, 280]);
  });

  it("spans the time axis including the last column's width only in a heatmap", () => {
    const later = parseHistogramGrid(
      head,
      { ...columns, first: Float64Array.of(50, 60, 70) },
      { count: new Float32Array(6) },
    );
    expect(timeSpan([grid], "heat", "step")).toEqual([0, 30]);
    expect(timeSpan([grid], "bands", "step")).toEqual([0, 20]);
    expect(timeSpan([grid, later], "bands", "step")).toEqual([0, 70]);
  });

  it.each([
    [-1, null],
    [0, 0],
    [9, 0],
    [10, 1],
    [1000, 2],
  ])("returns the column of step %d", (step, column) => expect(columnAt(grid, step)).toBe(column));

  it("returns the value of a row's lower edge", () =>
    expect([0, 1, 2].map((row) => valueAt(grid, row))).toEqual([-1, 0, 1]));
});
