import { expect, it } from "vitest";
import { isBranch, parseJson, parseTree, shortList, toJson } from "./tree";

const asJson = (text: string): unknown => {
  const tree = parseTree(text);
  return tree && JSON.parse(toJson(tree));
};

it.each([
  ['{"a": {"b": 1}, "c": [true]}', { a: { b: 1 }, c: [true] }],
  ['```json\n{"a": 1}\n```', { a: 1 }],
  [
    "lr: 3e-5\nmodel:\n  layers: 6 # few\n  name: 'bert'\nseed: null",
    { lr: 3e-5, model: { layers: 6, name: "bert" }, seed: null },
  ],
  ["betas: [0.9, 0.999]\nempty: {}\nnone:", { betas: [0.9, 0.999], empty: {}, none: null }],
  [
    "tags:\n  - fast\n  - small\nsplits:\n- name: train\n  rows: 10\n- name: test",
    { tags: ["fast", "small"], splits: [{ name: "train", rows: 10 }, { name: "test" }] },
  ],
])("reads %j", (text, tree) => expect(asJson(text)).toEqual(tree));

it.each([
  "# Report\n\nThe loss: it fell.\nAll is well.",
  "[see] the docs",
  "one: line",
  "text: |\n  block\nb: 1",
  "a: 1\n    b: 2",
  "a: &x 1\nb: *x",
  "Q: what?\nA: this\nQ: why?\nA: because",
])("takes %j for prose", (text) => expect(parseTree(text)).toBeNull());

it("keeps repeated keys, their order, and numbers as they were written", () => {
  const tree = parseJson('{"b": 1.0, "2": 12345678901234567890, "b": [1e-05, "x\\u00e9"]}')!;
  expect(tree.entries.map(([key, node]) => [key, isBranch(node) ? shortList(node) : node])).toEqual([
    ["b", "1.0"],
    ["2", "12345678901234567890"],
    ["b", '[1e-05, "x\\u00e9"]'],
  ]);
});

it.each(["lr: 1\nseed: 2", "- a: 1\n- b: 2", '```json\n{"a": 1}\n```', "42", '{"a": 1} and more'])(
  "does not take %j for a JSON document",
  (text) => expect(parseJson(text)).toBeNull(),
);

it("does not take a list that is nested too deeply for a JSON document", () => {
  expect(parseJson("[".repeat(5000) + "]".repeat(5000))).toBeNull();
});

it.each([
  ['[0.9, "x"]', '[0.9, "x"]'],
  ["[]", "[]"],
  ["{}", "{}"],
  ['{"a": 1}', null],
  ['[{"a": 1}]', null],
  [JSON.stringify(Array.from({ length: 40 }, (_, i) => i)), null],
])("writes the short list %j in one line, and no other branch", (text, line) =>
  expect(shortList(parseJson(text)!)).toBe(line),
);
