import { expect, test } from "vitest";
import { subRunsOf } from "./subRuns";

const runs = ["a", "a/loss_train", "a/loss_val", "ab", "b/x", "."].map((name) => ({ name }));
const named = (...names: string[]) => runs.filter(({ name }) => names.includes(name));

test.each([
  [["a"], ["a/loss_train", "a/loss_val"]],
  [["a", "a/loss_train"], ["a/loss_val"]],
  [["b/x"], []],
  [["."], []],
])("the sub-runs of %j are %j", (of, expected) => {
  expect(subRunsOf(named(...of), runs)).toEqual(named(...expected));
});
