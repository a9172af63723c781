import { expect, it } from "vitest";
import { parseTree } from "./tree";

it.each([
  ['{"model": {"layers": 6}, "lr": 3e-5}', { model: { layers: 6 }, lr: 3e-5 }],
  ['```json\n{"a": [1, 2]}\n```', { a: [1, 2] }],
  ["model:\n  name: bert\n  layers: 6\nlr: 3e-5\nfp16: false", { model: { name: "bert", layers: 6 }, lr: 3e-5, fp16: false }],
  ["# Report\n\nAccuracy: fine", null],
  ["{not json", null],
  ["Note: one line is prose", null],
])("reads %j", (text, tree) => expect(parseTree(text)).toEqual(tree));
