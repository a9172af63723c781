import { expect, test } from "vitest";
import type { RunRow } from "../../api/types";
import { arrange, lines, type Shape, type Sort } from "./tree";

const runs = (...names: string[]): RunRow[] =>
  names.map((name, i) => ({
    id: name,
    name,
    label: name,
    path: `/${name}`,
    start: i,
    last: i,
    state: "finished",
    bytes: 1,
  }));

/** Returns the lines indented, folders with a slash. */
function drawn(list: RunRow[], shape: Partial<Shape> = {}, sort: Sort = "name"): string[] {
  const all = lines(arrange(list, sort), { folders: true, folded: new Set(), ...shape });
  return all.map(
    (line) => `${"  ".repeat(line.depth)}${line.text}${line.type === "folder" ? `/ ${line.runs.length}` : ""}`,
  );
}

test("numbers in names sort by value", () => {
  expect(drawn(runs("trial-10", "trial-9", "Trial-1"))).toEqual(["Trial-1", "trial-9", "trial-10"]);
});

test.each([
  [
    ["lr0.01-s0", "lr0.0001-s1", "lr0.001-s0", "lr0.0001-s0"],
    ["lr0.0001-s0", "lr0.0001-s1", "lr0.001-s0", "lr0.01-s0"],
  ],
  [
    ["v1.10", "v1.9"],
    ["v1.9", "v1.10"],
  ],
  [
    ["1.2.10", "1.2.9", "1.10.0"],
    ["1.2.9", "1.2.10", "1.10.0"],
  ],
])("fractions and versions: %j", (names, sorted) => expect(drawn(runs(...names))).toEqual(sorted));

test("paths become a tree, and a folder with one entry shares its line", () => {
  expect(drawn(runs("a/x/1", "a/x/2", "a/y/1", "b/only/one", "c"))).toEqual([
    "a/ 3",
    "  x/ 2",
    "    1",
    "    2",
    "  y/1",
    "b/only/one",
    "c",
  ]);
});

test("a chain of folders without other entries is one line", () => {
  expect(drawn(runs("exp/2026/s1", "exp/2026/s2"))).toEqual(["exp/2026/ 2", "  s1", "  s2"]);
});

test("a run that is also a folder has its own line", () => {
  expect(drawn(runs("a", "a/eval", "a/train"))).toEqual(["a", "a/ 2", "  eval", "  train"]);
});

test("a collapsed folder hides its runs", () => {
  expect(drawn(runs("a/1", "a/2", "b"), { folded: new Set(["a/"]) })).toEqual(["a/ 2", "b"]);
});

test("without folders, runs sort by their last point, latest first", () => {
  expect(drawn(runs("a/1", "b", "a/2"), { folders: false }, "-last")).toEqual(["a/2", "b", "a/1"]);
});

test("every line has a unique key", () => {
  const all = lines(runs("a", "a/eval", "a/train", "a/b/c", "a/b/d"), { folders: true, folded: new Set() });
  expect(new Set(all.map((line) => line.key)).size).toBe(all.length);
});
