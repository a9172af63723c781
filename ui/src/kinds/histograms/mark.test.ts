import { expect, it } from "vitest";
import { markOf } from "./mark";
import { type HistogramGrid, type Shape, timeSpan } from "./histogramGrid";
import type { HistogramScene } from "./scene";

const grid: HistogramGrid = {
  key: "a",
  steps: 3,
  skipped: 0,
  columns: 3,
  rows: 2,
  values: [0, 1],
  first: Float64Array.of(0, 10, 20),
  last: Float64Array.of(0, 10, 20),
  wall: Float64Array.of(1, 2, 3),
  merged: Float64Array.of(1, 1, 1),
  bands: [],
  counts: Float32Array.of(1, 2, 3, 4, 5, 6),
  peak: 6,
};
const scene = (shape: Shape): HistogramScene => ({
  grid,
  color: "red",
  shape,
  x: "step",
  span: timeSpan([grid], shape, "step"),
  range: [0, 1],
  logCounts: false,
});
/** Leaves 300 × 100 px for the data of a heatmap. */
const [WIDTH, HEIGHT] = [356, 132];

it("a heatmap mark goes through the middle of the column and around the cell under the pointer", () => {
  expect(markOf(scene("heat"), WIDTH, HEIGHT, 1, null)).toEqual({ line: "M194.5 8V108", look: "dashes" });
  const { line, look, cell } = markOf(scene("heat"), WIDTH, HEIGHT, 1, 0);
  expect([line, look]).toEqual(["M194.5 8V108", "line"]);
  expect(cell).toEqual({ left: 143, top: 57, right: 245, bottom: 109 });
});

it("a bands mark is at its step, from the left edge to the right edge", () => {
  expect([0, 1, 2].map((column) => markOf(scene("bands"), WIDTH, HEIGHT, column, null).line)).toEqual([
    "M44.5 8V108",
    "M194.5 8V108",
    "M344.5 8V108",
  ]);
});

it("a ridge mark repeats the outline with its step and covers labels nearby", () => {
  const [first, second] = [0, 1].map((column) => markOf(scene("ridge"), WIDTH, HEIGHT, column, 0));
  expect([first!.label!.text, first!.covered!.length]).toEqual(["0", 1]);
  expect([second!.label!.text, second!.covered!.length]).toEqual(["10", 0]);
  expect(second!.line).toMatch(/^M\S+ \S+(L\S+ \S+){3}$/);
});
