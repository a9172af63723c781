import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { compile } from "./filter";

type Row = { filter: string; names: string[]; matches: string[] } | { filter: string; error: true };

/* The server has the same filter (lossboard/select/run_filter.py); its tests read the same table. */
const file = fileURLToPath(new URL("../../../tests/golden/run_filter.json", import.meta.url));
const table = JSON.parse(readFileSync(file, "utf8")) as Row[];
const matching = table.filter((row) => "names" in row);
const invalid = table.filter((row) => "error" in row);

test.each(matching)("$filter matches the names of the table", ({ filter, names, matches }) => {
  expect(names.filter((name) => compile(filter).test(name))).toEqual(matches);
});

test.each(invalid)("$filter is an error", ({ filter }) => {
  expect(compile(filter).error).not.toBeNull();
});

test.each([
  ["(bert", "Unterminated group"],
  ["[a", "Unterminated character class"],
  ["*", "Nothing to repeat"],
])("%j has an error message without the expression", (query, error) => {
  expect(compile(query).error).toBe(error);
});
