import { expect, test } from "vitest";
import { addToQuery, condition } from "./addToQuery";

test.each([
  ["hp.lr", "=", 0.00003, "hp.lr = 0.00003"],
  ["hp.lr", "<=", 1e-7, "hp.lr <= 1e-7"],
  ["hp.model", "!=", 'bert "base" \\', 'hp.model != "bert \\"base\\" \\\\"'],
  ["hp.amp", "=", true, "hp.amp = true"],
  ["min(eval/loss)", "=", NaN, "min(eval/loss) = nan"],
  ["hp.dropout", "=", null, "not exists hp.dropout"],
  ["hp.dropout", "!=", null, "exists hp.dropout"],
] as const)("%s %s %s", (field, comparison, value, expected) => {
  expect(condition(field, comparison, value)).toBe(expected);
});

test.each([
  ["", "a = 1", "a = 1"],
  ["bert s1", "a = 1", "bert s1 and a = 1"],
  ["b = 2", "a = 1", "b = 2 and a = 1"],
  ["b = 2 or c = 3", "a = 1", "(b = 2 or c = 3) and a = 1"],
  ["^bert.*/s1$", "a = 1", "run ~ /^bert.*\\/s1$/i and a = 1"],
  ["a = 1", "a = 1", "a = 1"],
])("%s and %s", (query, added, expected) => {
  expect(addToQuery(query, added)).toBe(expected);
});
