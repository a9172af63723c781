import { describe, expect, it } from "vitest";
import { diffLines, folded } from "./diff";

const marks = (before: string, after: string): string =>
  diffLines(before, after)
    .map(({ kind, text }) => ({ same: " ", gone: "-", new: "+" })[kind] + text)
    .join("|");

describe("a difference of lines", () => {
  it.each([
    ["a\nb\nc", "a\nb\nc", " a| b| c"],
    ["a\nb\nc", "a\nx\nc", " a|-b|+x| c"],
    ["a\nb\nc\nd", "b\nd\ne", "-a| b|-c| d|+e"],
    ["", "a", "-|+a"],
    ["a\na", "a", " a|-a"],
  ])("from %j to %j", (before, after, wanted) => expect(marks(before, after)).toBe(wanted));

  it("numbers the lines of both sides", () => {
    expect(diffLines("a\nb", "x\na\nb").map(({ before, after }) => [before, after])).toEqual([
      [undefined, 1],
      [1, 2],
      [2, 3],
    ]);
  });

  it("folds what is far from any change", () => {
    const text = Array.from({ length: 20 }, (_, i) => `line ${i}`);
    const shown = folded(diffLines(text.join("\n"), [...text, "more"].join("\n")), 2);
    expect(shown.map((line) => (line.kind === "skipped" ? line.lines : line.text))).toEqual([
      18,
      "line 18",
      "line 19",
      "more",
    ]);
  });
});
