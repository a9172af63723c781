import { expect, test } from "vitest";
import type { Grew, RunRow } from "../../api/types";
import { toCsv, toJson } from "./export";
import type { Question } from "./feed";
import { concerns } from "./growth";
import { type Row, sortRows } from "./runsTable";

test("growth concerns the charts with a tag that grew in a shown run", () => {
  const event: Grew = { cursor: 1, runs: { a: { state: "live", last: 0, kinds: { scalars: ["loss"] } }, b: { state: "live", last: 0, kinds: { scalars: ["lr"] } }, c: { state: "live", last: 0, kinds: { images: "*" } } } };
  const about = concerns(event, [{ id: "a" }, { id: "c" }] as RunRow[]);
  const asks = (tag: string) => about({ tags: ["other", tag] } as unknown as Question);
  expect([asks("loss"), asks("lr"), asks("acc")]).toEqual([true, false, false]);
});

const series = [{ run: 'a,"b"', tag: "=loss", step: [1, 2], wall: [10, 11], value: [0.5, NaN], smoothed: [0.5, 0.5] }];

test("CSV quotes names and defuses formulas", () => {
  expect(toCsv(series)).toBe(`run,tag,step,wall_time,value,smoothed\n"a,""b""",'=loss,1,10,0.5,0.5\n"a,""b""",'=loss,2,11,NaN,0.5\n`);
});

test("JSON says in words what it has no numbers for", () => {
  expect(JSON.parse(toJson(series))[0].value).toEqual([0.5, "NaN"]);
});

test("rows without a value stand last, whichever way", () => {
  const row = (label: string, smoothed: number) => ({ label, smoothed }) as Row;
  const rows = [row("none", NaN), row("two", 2), row("one", 1)];
  expect(sortRows(rows, "smoothed", true).map((r) => r.label)).toEqual(["one", "two", "none"]);
  expect(sortRows(rows, "smoothed", false).map((r) => r.label)).toEqual(["two", "one", "none"]);
});
