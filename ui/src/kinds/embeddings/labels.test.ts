import { expect, test } from "vitest";
import { categoryLabels, pointLabels } from "./labels";
import type { PointColumn } from "./metadata";

const SIZE = { width: 300, height: 200 };
const placed = { x: Float32Array.of(50, 60, 200, 201), y: Float32Array.of(100, 100, 100, 104) };
const shown = Uint8Array.of(1, 1, 1, 1);
const classes: PointColumn = {
  name: "label",
  type: "category",
  categories: ["joy", "fear"],
  codes: Int32Array.of(0, 0, 1, 1),
};
const texts: PointColumn = { name: "text", type: "text", texts: ["first", "second", "third", "fourth"] };

test("a category is named in the middle of its points", () => {
  expect(categoryLabels(classes, placed, shown, SIZE)).toEqual([
    { text: "joy", x: 60, y: 100, isStrong: true },
    { text: "fear", x: 201, y: 104, isStrong: true },
  ]);
});

test("a category without visible points has no name", () => {
  expect(categoryLabels(classes, placed, Uint8Array.of(1, 1, 0, 0), SIZE).map(({ text }) => text)).toEqual(["joy"]);
});

test("labels never cover each other, and the given rows come first", () => {
  const found = (first: number[]): string[] => pointLabels(texts, placed, shown, SIZE, first).map(({ text }) => text);
  expect(found([])).toEqual(["first", "third"]);
  expect(found([3])).toEqual(["fourth", "first"]);
});

test("labels that would leave the picture are left out", () => {
  const edge = { x: Float32Array.of(2), y: Float32Array.of(100) };
  expect(pointLabels({ ...texts, texts: ["a long label"] }, edge, Uint8Array.of(1), SIZE, [])).toEqual([]);
});
