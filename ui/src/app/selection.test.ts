import { expect, test } from "vitest";
import { everything, has, only, selectionCodec, set } from "./selection";

test("everything is shown at first, a run that comes later too", () => {
  expect(has(everything, "any")).toBe(true);
  expect(has(set(everything, ["a"], false), "new")).toBe(true);
});

test("only some: a run that comes later stays out", () => {
  const some = only(["a", "b"]);
  expect([has(some, "a"), has(some, "new")]).toEqual([true, false]);
  expect(has(set(some, ["a"], false), "a")).toBe(false);
  expect(has(set(some, ["new"], true), "new")).toBe(true);
});

test.each([everything, only([]), only(["a", "b"]), set(everything, ["c", "d"], false)])(
  "selection %# survives the address",
  (selection) => {
    expect(selectionCodec.decode(selectionCodec.encode(selection))).toEqual(selection);
  },
);
