import { expect, test } from "vitest";
import { nearest, rowsInside } from "./pick";

const placed = { x: Float32Array.of(10, 20, 30, NaN), y: Float32Array.of(10, 20, 30, NaN) };
const all = (): boolean => true;

test("the nearest point is found within reach, without hidden ones", () => {
  expect(nearest(placed, { x: 19, y: 18 }, 8, all)).toBe(1);
  expect(nearest(placed, { x: 60, y: 60 }, 8, all)).toBe(null);
  expect(nearest(placed, { x: 19, y: 18 }, 20, (row) => row !== 1)).toBe(0);
});

test.each([
  [
    "a box",
    [
      [5, 5],
      [25, 5],
      [25, 25],
      [5, 25],
    ],
    [0, 1],
  ],
  [
    "a box drawn the other way",
    [
      [5, 25],
      [25, 25],
      [25, 5],
      [5, 5],
    ],
    [0, 1],
  ],
  [
    "a triangle",
    [
      [15, 15],
      [35, 15],
      [35, 35],
    ],
    [],
  ],
  [
    "a shape around everything",
    [
      [-9, -9],
      [99, -9],
      [99, 99],
      [-9, 99],
    ],
    [0, 1, 2],
  ],
  [
    "a line",
    [
      [0, 0],
      [40, 40],
    ],
    [],
  ],
] as [string, [number, number][], number[]][])("points inside %s", (_, shape, rows) => {
  expect(rowsInside(placed, shape, all)).toEqual(rows);
});

test("hidden points are not selected", () => {
  const shape: [number, number][] = [
    [-9, -9],
    [99, -9],
    [99, 99],
    [-9, 99],
  ];
  expect(rowsInside(placed, shape, (row) => row === 2)).toEqual([2]);
});
