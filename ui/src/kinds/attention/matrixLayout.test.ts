import { expect, test } from "vitest";
import { cellAt, layoutMatrix } from "./matrixLayout";

test("cells are square, and every token has a label if there is space", () => {
  const layout = layoutMatrix(12, 12, 6, 500, 600);
  expect(layout.width).toBeCloseTo(layout.height);
  expect([layout.rowsPerLabel, layout.columnsPerLabel]).toEqual([1, 1]);
});

test("512 tokens fit, with a label now and then", () => {
  const layout = layoutMatrix(512, 512, 12, 500, 600);
  expect(layout.left + layout.width).toBeLessThanOrEqual(500);
  expect(layout.rowsPerLabel).toBeGreaterThan(10);
});

test("finds the cell under the pointer", () => {
  const layout = layoutMatrix(4, 8, 3, 400, 400);
  const [dx, dy] = [layout.width / 8, layout.height / 4];
  expect(cellAt(layout, 4, 8, layout.left + 2.5 * dx, layout.top + 3.5 * dy)).toEqual({ row: 3, column: 2 });
  expect(cellAt(layout, 4, 8, layout.left - 1, layout.top)).toBeNull();
  expect(cellAt(layout, 4, 8, layout.left, layout.top + layout.height + 1)).toBeNull();
});
