import { expect, test } from "vitest";
import { marked, rank } from "./searchRank";

const actions = ["Copy link", "Light or dark", "Fold the runs panel", "Go to Charts"].map((title) => ({
  id: title,
  title,
  run: () => {},
}));

test.each([
  ["", ["Copy link", "Light or dark", "Fold the runs panel", "Go to Charts"]],
  ["li", ["Light or dark", "Copy link"]],
  ["runs fold", ["Fold the runs panel"]],
  ["zzz", []],
])("%j finds, the best first", (words, titles) => {
  expect(rank(actions, words).map(({ title }) => title)).toEqual(titles);
});

test("what was searched for is marked, and special characters are plain", () => {
  expect(marked("train/grad_norm (l2)", "GRAD (")).toEqual([
    { text: "train/", hit: false },
    { text: "grad", hit: true },
    { text: "_norm ", hit: false },
    { text: "(", hit: true },
    { text: "l2)", hit: false },
  ]);
});
