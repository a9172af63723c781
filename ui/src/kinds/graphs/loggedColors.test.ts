import { expect, test } from "vitest";
import type { GraphItem, GraphQuantity } from "../../api/types";
import { colorByLogged, combine, rangeOf } from "./loggedColors";

const RAMP = ["#000000", "#111111", "#222222", "#333333"];
const BAD = "#ff0000";
const logged: GraphQuantity = {
  quantity: "gradient norm",
  steps: [0, 10],
  places: [
    { tag: "a.w", path: "net/a/w", values: [3, 0.001] },
    { tag: "a.b", path: "net/a/b", values: [4, null] },
    { tag: "b.w", path: "net/b/w", values: [1, "NaN"] },
  ],
  unplaced: ["other"],
};
const item = (outer: string, members?: string[]): GraphItem =>
  ({ outer, path: outer, members }) as unknown as GraphItem;

test("norms of the parts of a scope add up as squares", () => {
  const colors = colorByLogged(logged, 0, RAMP, BAD);
  expect(colors.valueOf("net/a")).toBe(5);
  expect(colors.valueOf("net")).toBeCloseTo(Math.sqrt(26));
  expect(colors.valueOf("net/c")).toBeNull();
  expect(combine([1, 3], false)).toBe(2);
});

test("the scale is that of all steps, so the same value has the same color at each", () => {
  expect(rangeOf(logged)).toEqual([0.001, 4]);
  expect(colorByLogged(logged, 1, RAMP, BAD).fill(item("net/a"))).toBe(RAMP[0]);
  expect(colorByLogged(logged, 0, RAMP, BAD).fill(item("net/a"))).toBe(RAMP[3]);
});

test("values that are not finite have a color of their own, boxes without values none", () => {
  const colors = colorByLogged(logged, 1, RAMP, BAD);
  expect(colors.fill(item("net/b"))).toBe(BAD);
  expect(colors.fill(item("net/c"))).toBeNull();
  expect(colors.keys).toEqual([{ name: "NaN or infinite", color: BAD, count: 1 }]);
});

test("equal blocks have a color each, and their root mean square together", () => {
  const colors = colorByLogged(logged, 0, RAMP, BAD);
  expect(colors.memberFill("net/b")).toBe(colors.fill(item("net/b")));
  expect(colors.fill(item("net/a", ["net/a", "net/b"]))).toBe(colors.fill(item("net/a")));
});

test("it says how many tags found a place", () => {
  expect(colorByLogged(logged, 0, RAMP, BAD).note).toContain("3 of 4 tags found a place");
});
