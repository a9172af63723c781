import { expect, test } from "vitest";
import type { Grew, RunRow, XAxis } from "../../api/types";
import type { Question } from "./feed";
import { affects } from "./liveUpdates";
import { type Row, sortRows } from "./runsTable";

test("growth affects the charts with a tag that grew in a shown run", () => {
  const event: Grew = {
    cursor: 1,
    runs: {
      a: { state: "live", last: 0, kinds: { scalars: ["loss"] } },
      b: { state: "live", last: 0, kinds: { scalars: ["lr"] } },
      c: { state: "live", last: 0, kinds: { images: "*" } },
    },
  };
  const about = affects(event, [{ id: "a" }, { id: "c" }] as RunRow[]);
  const asks = (tag: string) => about({ tags: ["other", tag] } as unknown as Question);
  expect([asks("loss"), asks("lr"), asks("acc")]).toEqual([true, false, false]);
});

test("growth affects the charts whose x axis is a scalar that grew in a shown run", () => {
  const event: Grew = { cursor: 1, runs: { a: { state: "live", last: 0, kinds: { scalars: ["epoch"] } } } };
  const about = affects(event, [{ id: "a" }] as RunRow[]);
  const asks = (x: XAxis) => about({ tags: ["loss"], x } as unknown as Question);
  expect([asks({ tag: "epoch" }), asks({ tag: "lr" }), asks("step")]).toEqual([true, false, false]);
});

test("rows without a value stand last, whichever way", () => {
  const row = (label: string, smoothed: number) => ({ label, smoothed }) as Row;
  const rows = [row("none", NaN), row("two", 2), row("one", 1)];
  expect(sortRows(rows, "smoothed", true).map((r) => r.label)).toEqual(["one", "two", "none"]);
  expect(sortRows(rows, "smoothed", false).map((r) => r.label)).toEqual(["two", "one", "none"]);
});
