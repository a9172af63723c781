import { expect, test } from "vitest";
import { compile } from "./filter";
import cases from "./filterCases.json";

type Row = { filter: string; names: string[]; matches: string[] } | { filter: string; error: true };

const table = cases as Row[];
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
