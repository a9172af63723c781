import { expect, test } from "vitest";
import { compile } from "./filter";

const runs = ["bert-lr3e-5", "bert-test", "cnn/baseline", "BERT-large"];
const found = (query: string) => runs.filter((run) => compile(query).test(run));

test.each([
  ["", runs],
  ["bert", ["bert-lr3e-5", "bert-test", "BERT-large"]],
  ["base cnn", ["cnn/baseline"]],
  ["^(?!.*test).*", ["bert-lr3e-5", "cnn/baseline", "BERT-large"]],
  ["bert|cnn", runs],
  ["lr\\de-5$", ["bert-lr3e-5"]],
])("%j finds", (query, expected) => {
  expect(found(query)).toEqual(expected);
});

test.each([
  ["(bert", "Unterminated group"],
  ["[a", "Unterminated character class"],
  ["*", "Nothing to repeat"],
])("%j says what is wrong", (query, error) => {
  expect(compile(query).error).toBe(error);
});
