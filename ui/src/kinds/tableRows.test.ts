import { describe, expect, test } from "vitest";
import type { Cell, Direction } from "./cells";
import { makeCells } from "./makeCells";
import { barShare, barSpan, bestRow, countValues, sortRows } from "./tableRows";

const column = (values: Cell[], best: Direction | null = null) => ({ cells: makeCells(values), best });

describe("the order of rows", () => {
  test("has missing values and NaN last in both directions", () => {
    const loss = column([2, null, 1, NaN]);
    expect(sortRows([0, 1, 2, 3], [{ column: loss, isDescending: false }])).toEqual([2, 0, 1, 3]);
    expect(sortRows([0, 1, 2, 3], [{ column: loss, isDescending: true }])).toEqual([0, 2, 1, 3]);
  });

  test("follows the next column where the first has equal values", () => {
    const lr = column([0.1, 0.01, 0.1, 0.01, null]);
    const loss = column([3, 1, 2, 4, 0]);
    const keys = [
      { column: lr, isDescending: false },
      { column: loss, isDescending: true },
    ];
    expect(sortRows([0, 1, 2, 3, 4], keys)).toEqual([3, 1, 0, 2, 4]);
  });

  test("orders texts by the numbers in them, and numbers among them", () => {
    const mixed = column(["run-10", "run-2", 7, null, "auto"]);
    expect(sortRows([0, 1, 2, 3, 4], [{ column: mixed, isDescending: false }])).toEqual([2, 4, 1, 0, 3]);
  });

  test("puts infinity at its end", () => {
    const loss = column([Infinity, 1, -Infinity, NaN]);
    expect(sortRows([0, 1, 2, 3], [{ column: loss, isDescending: false }])).toEqual([2, 1, 0, 3]);
  });
});

test("the best row is that of the smallest or largest finite value", () => {
  expect(bestRow(column([2, null, 1, NaN], "min"), [0, 1, 2, 3])).toBe(2);
  expect(bestRow(column([2, Infinity, 1], "max"), [0, 1, 2])).toBe(0);
  expect(bestRow(column([2, 1]), [0, 1])).toBe(null);
});

test("bars span the values without the farthest", () => {
  const loss = column([...Array.from({ length: 20 }, (_, i) => i), 1e9]);
  const rows = [...loss.cells.kind.keys()];
  const span = barSpan(loss, rows);
  expect(span).toEqual([0, 19]);
  expect(barShare(loss, 20, span)).toBe(1);
  expect(barShare(loss, 0, span)).toBe(0.02);
  expect(barShare(column([NaN]), 0, span)).toBe(0);
});

test("different values are counted up to a limit, and a missing one is a value", () => {
  const seed = column([1, 2, 2, null, true]);
  expect(countValues(seed, [0, 1, 2, 3, 4], 10)).toBe(4);
  expect(countValues(seed, [1, 2], 10)).toBe(1);
  expect(countValues(seed, [0, 1, 2, 3, 4], 2)).toBe(2);
});
