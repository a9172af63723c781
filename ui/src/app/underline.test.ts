import { expect, test } from "vitest";
import { underline } from "./underline";

const parts = (text: string, start: number, end: number): string =>
  underline(text, { start, end })
    .map((part) => (part.wrong ? `[${part.text}]` : part.text))
    .join("");

test("the place of an error is a part of its own", () => {
  expect(parts("a + bad + c", 4, 7)).toBe("a + [bad] + c");
  expect(parts("bad", 0, 3)).toBe("[bad]");
  expect(parts("a +", 3, 3)).toBe("a +[\u00a0]");
  expect(parts("\u{1F680} bad", 2, 5)).toBe("\u{1F680} [bad]");
  expect(underline("fine", null)).toEqual([{ text: "fine", wrong: false }]);
});
