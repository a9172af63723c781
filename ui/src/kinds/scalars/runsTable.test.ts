import { expect, test } from "vitest";
import { type Row, sortRows } from "./runsTable";

test("rows without a value stand last, whichever way", () => {
  const row = (label: string, smoothed: number) => ({ label, smoothed }) as Row;
  const rows = [row("none", NaN), row("two", 2), row("one", 1)];
  expect(sortRows(rows, "smoothed", true).map((r) => r.label)).toEqual(["one", "two", "none"]);
  expect(sortRows(rows, "smoothed", false).map((r) => r.label)).toEqual(["two", "one", "none"]);
});
