import { expect, it } from "vitest";
import { parseTree, shortList, type Tree } from "./tree";

it.each([
  ['{"a": {"b": 1}, "c": [true]}', { a: { b: 1 }, c: [true] }],
  ['```json\n{"a": 1}\n```', { a: 1 }],
  [
    "lr: 3e-5\nmodel:\n  layers: 6 # few\n  name: 'bert'\nseed: null",
    { lr: 3e-5, model: { layers: 6, name: "bert" }, seed: null },
  ],
  ["betas: [0.9, 0.999]\nempty: {}\nnone:", { betas: { 0: 0.9, 1: 0.999 }, empty: {}, none: null }],
  [
    "tags:\n  - fast\n  - small\nsplits:\n- name: train\n  rows: 10\n- name: test",
    { tags: { 0: "fast", 1: "small" }, splits: { 0: { name: "train", rows: 10 }, 1: { name: "test" } } },
  ],
])("reads %j", (text, tree) => expect(parseTree(text)).toEqual(tree));

it.each([
  "# Report\n\nThe loss: it fell.\nAll is well.",
  "[see] the docs",
  "one: line",
  "text: |\n  block\nb: 1",
  "a: 1\n    b: 2",
  "a: &x 1\nb: *x",
])("takes %j for prose", (text) => expect(parseTree(text)).toBeNull());

it.each([
  [{ 0: 0.9, 1: "x" }, '[0.9, "x"]'],
  [[], "[]"],
  [{ a: 1 }, null],
  [{ 0: { a: 1 } }, null],
  [Array.from({ length: 40 }, (_, i) => i), null],
])("writes the short list %j in one line, and no other branch", (tree, words) =>
  expect(shortList(tree as Tree)).toBe(words),
);
