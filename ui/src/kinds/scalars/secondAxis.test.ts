import { expect, test } from "vitest";
import { flatTags } from "./secondAxis";

const linear = { scale: "linear" } as const;

test("tags stay on one axis while each takes a tenth of it", () => {
  expect(
    flatTags(
      [
        [0, 2.5],
        [0, 1],
      ],
      linear,
    ),
  ).toEqual([]);
  expect(
    flatTags(
      [
        [0, 10],
        [4, 5],
      ],
      linear,
    ),
  ).toEqual([]);
  expect(
    flatTags(
      [
        [0, 10],
        [4, 4.9],
      ],
      linear,
    ),
  ).toEqual([1]);
});

test("a tag that would be flat, or would flatten the others, is on the second axis", () => {
  expect(
    flatTags(
      [
        [0, 2.5],
        [0, 5e-5],
        [0, 1],
      ],
      linear,
    ),
  ).toEqual([1]);
  expect(
    flatTags(
      [
        [0, 1],
        [0, 1e9],
      ],
      linear,
    ),
  ).toEqual([1]);
  expect(
    flatTags(
      [
        [0, 1],
        [1000, 1001],
      ],
      linear,
    ),
  ).toEqual([1]);
});

test("on a log axis, ranges are compared in decades", () => {
  expect(
    flatTags(
      [
        [0.1, 10],
        [1, 1e4],
      ],
      { scale: "log" },
    ),
  ).toEqual([]);
  expect(
    flatTags(
      [
        [0.9, 1.1],
        [1, 1e9],
      ],
      { scale: "log" },
    ),
  ).toEqual([1]);
});
