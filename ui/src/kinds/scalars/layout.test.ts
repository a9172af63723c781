import { expect, test } from "vitest";
import { groupTags } from "./groups";
import { columnCount, layOut, type LayoutSpec, totalHeight, within } from "./layout";

function spec(tags: string[], more: Partial<LayoutSpec> = {}): LayoutSpec {
  return {
    groups: groupTags(tags, [], []),
    closed: new Set(),
    size: () => ({ w: 1, h: 1 }),
    width: 1096,
    columns: 3,
    gap: 12,
    ...more,
  };
}

test.each([
  [1104, 12, 0, 3],
  [1584, 12, 0, 4],
  [366, 8, 0, 1],
  [1104, 12, 6, 5],
  [1104, 12, 2, 2],
])("%d px wide, gap %d, wanted %d: %d columns", (width, gap, wanted, expected) =>
  expect(columnCount(width, gap, wanted)).toBe(expected),
);

test("cards fill rows from the left", () => {
  const [section] = layOut(spec(["a/1", "a/2", "a/3", "a/4"]));
  expect(section!.slots.map(({ x, y }) => [Math.round(x), y])).toEqual([
    [0, 36],
    [369, 36],
    [739, 36],
    [0, 294],
  ]);
});

test("a wide card takes its columns, and a row is as tall as its tallest card", () => {
  const size = (tag: string) => (tag === "a/2" ? { w: 3, h: 2 } : { w: 1, h: 1 });
  const [section] = layOut(spec(["a/1", "a/2", "a/3"], { size }));
  expect(section!.slots.map(({ y, width, height }) => [y, width, height])).toEqual([
    [36, expect.closeTo(357.33), 246],
    [294, 1096, 504],
    [810, expect.closeTo(357.33), 246],
  ]);
});

test("a folded group is its header", () => {
  const sections = layOut(spec(["a/1", "b/1"], { closed: new Set(["a"]) }));
  expect(sections.map((s) => [s.height, s.slots.length])).toEqual([
    [36, 0],
    [36 + 246, 1],
  ]);
});

test("groups of fewer cards than a row holds stand side by side, in their order", () => {
  const sections = layOut(spec(["a/1", "b/1", "b/2", "c/1", "d/1", "d/2", "d/3", "d/4", "e/1"]));
  expect(sections.map((s) => [s.group.id, Math.round(s.x), s.y, Math.round(s.width)])).toEqual([
    ["a", 0, 0, 357],
    ["b", 369, 0, 727],
    ["c", 0, 286, 357],
    ["d", 0, 572, 1096],
    ["e", 0, 1116, 357],
  ]);
});

test("groups side by side end together, however tall their cards are", () => {
  const size = (tag: string) => (tag === "b/1" ? { w: 1, h: 2 } : { w: 1, h: 1 });
  const sections = layOut(spec(["a/1", "b/1", "c/1", "d/1"], { size }));
  expect(sections.map((s) => [s.y, s.height])).toEqual([
    [0, 540],
    [0, 540],
    [0, 540],
    [544, 282],
  ]);
  expect(within(sections, 300, 400).map(({ section }) => section.group.id)).toEqual(["a", "b", "c"]);
});

test("of ten thousand cards only those near the screen exist", () => {
  const tags = Array.from({ length: 10_000 }, (_, i) => `g${Math.floor(i / 500)}/t${i}`);
  const sections = layOut(spec(tags));
  const middle = totalHeight(sections) / 2;
  const near = within(sections, middle, middle + 900);
  const slots = near.flatMap(({ section, slots }) =>
    slots.map((slot) => [section.y + slot.y, section.y + slot.y + slot.height]),
  );
  expect(slots.length).toBeGreaterThan(8);
  expect(slots.length).toBeLessThan(20);
  expect(slots.every(([top, bottom]) => bottom! >= middle && top! <= middle + 900)).toBe(true);
});
