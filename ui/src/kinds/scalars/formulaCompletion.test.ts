import { expect, test } from "vitest";
import { completionsAt, quoted } from "./formulaCompletion";

const TAGS = ["acc", "eval/loss", "train/loss", "lr-2"];
const at = (text: string, caret = text.length): ReturnType<typeof completionsAt> => completionsAt(text, caret, TAGS);

test("a word becomes a tag in backticks or a function", () => {
  expect(at("exp(los")).toEqual({ start: 4, end: 7, items: ["`eval/loss`", "`train/loss`"] });
  expect(at("2 * ex")).toEqual({ start: 4, end: 6, items: ["exp("] });
  expect(at("train/l")).toEqual({ start: 0, end: 7, items: ["`train/loss`"] });
  expect(at("ac + 1", 2)).toEqual({ start: 0, end: 2, items: ["acc"] });
});

test("a name in backticks is replaced with them", () => {
  expect(at("exp(`ev")).toEqual({ start: 4, end: 7, items: ["`eval/loss`"] });
  expect(at("exp(`ev`)", 7)).toEqual({ start: 4, end: 8, items: ["`eval/loss`"] });
});

test("after an operator, a number or a closed name there is nothing to complete", () => {
  for (const text of ["", "acc - ", "acc", "2", "`eval/loss`", "`"]) expect(at(text)?.items ?? []).toEqual([]);
});

test("names are quoted as the server reads them", () => {
  expect(["acc", "a.b_2", "lr-2", "a`b", "2x"].map(quoted)).toEqual(["acc", "a.b_2", "`lr-2`", "`a\\`b`", "`2x`"]);
});
