import { expect, test } from "vitest";
import { layoutByLayer, layoutByValue, neighborCell } from "./grid";

const layers = [
  { layer: 0, heads: [0, 1, 2, 3] },
  { layer: 11, heads: [0, 1] },
];

test("a row for each layer, with cells that fill the width", () => {
  const { cells, size, width, groups } = layoutByLayer(layers, 300);
  expect(cells).toHaveLength(6);
  expect(cells[4]).toMatchObject({ index: 4, layer: 1, head: 0, x: cells[0]!.x });
  expect(width).toBeLessThanOrEqual(300);
  expect(4 * size).toBeGreaterThan(240);
  expect(groups).toEqual([]);
});

test("heads that share keys and values are set apart", () => {
  const { cells, groups, width } = layoutByLayer([{ layer: 0, heads: [0, 1, 2, 3], kv_heads: 2 }], 300);
  expect(groups).toHaveLength(2);
  expect(cells[2]!.x - cells[1]!.x).toBeGreaterThan(cells[1]!.x - cells[0]!.x);
  expect(width).toBeLessThanOrEqual(300);
});

test("by value, the largest comes first and one without a value last", () => {
  const { cells } = layoutByValue(layers, 300, [1, NaN, 3, 2, 5, 4]);
  expect(cells.map(({ index }) => index)).toEqual([4, 5, 2, 3, 0, 1]);
  expect(cells[0]).toMatchObject({ layer: 1, head: 0 });
});

test("arrow keys move between cells, also to a layer with fewer heads", () => {
  const { cells } = layoutByLayer(layers, 300);
  expect(neighborCell(cells, cells[3]!, "ArrowDown")).toBe(cells[5]);
  expect(neighborCell(cells, cells[5]!, "ArrowUp")).toBe(cells[1]);
  expect(neighborCell(cells, cells[0]!, "ArrowLeft")).toBe(cells[0]);
  expect(neighborCell(cells, cells[5]!, "ArrowDown")).toBe(cells[5]);
  expect(neighborCell(cells, cells[0]!, "End")).toBe(cells[5]);
});
