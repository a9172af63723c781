import { expect, test } from "vitest";
import { splitPairs } from "./splitPairs";

test("validation tags belong to the chart of the training tag of the same metric", () => {
  const tags = ["train/loss", "eval/loss", "train/lr", "loss/train", "accuracy/val", "accuracy/train", "val/f1"];
  expect([...splitPairs(tags)]).toEqual([
    ["train/loss", ["eval/loss"]],
    ["accuracy/train", ["accuracy/val"]],
  ]);
});
