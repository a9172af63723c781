import { expect, test } from "vitest";
import { sortTags } from "./groups";
import { byImportance, detailGroups, mainFirst } from "./tagOrder";
import { groupTags } from "./groups";

const KIT = sortTags([
  "train/loss",
  "train/learning_rate",
  "train/grad_norm",
  "train/accuracy",
  "train/memory_mb",
  "train/tokens_per_second",
  "eval/loss",
  "eval/f1",
  "eval/sample_loss",
  "hparam/lr_scale",
  "system/cpu",
  ...Array.from({ length: 8 }, (_, i) => `attention/probe_0/layer${i}`),
  ...Array.from({ length: 8 }, (_, i) => `grad_norm/encoder.layer.${i}`),
]);

test("losses come first, then metrics, the learning rate, others and details", () => {
  const groups = groupTags(byImportance(KIT), [], []);
  expect(groups.map(({ id }) => id)).toEqual(["eval", "train", "hparam", "attention", "grad_norm", "system"]);
  expect(groups[0]!.tags).toEqual(["eval/loss", "eval/sample_loss", "eval/f1"]);
  expect(groups[1]!.tags).toEqual([
    "train/loss",
    "train/accuracy",
    "train/learning_rate",
    "train/tokens_per_second",
    "train/grad_norm",
    "train/memory_mb",
  ]);
});

test("larger groups of nothing but details start collapsed", () => {
  expect(detailGroups(groupTags(KIT, [], []))).toEqual(["attention", "grad_norm"]);
  expect(detailGroups(groupTags(KIT.slice(0, 8), [], []))).toEqual([]); // there is nothing else to see
});

test("tags that appear later come last, so that no chart moves", () => {
  const first = mainFirst(["a/x", "eval/loss"], true);
  expect(first).toEqual(["eval/loss", "a/x"]);
  expect(mainFirst(["a/loss", "a/x", "b/loss", "eval/loss"], false)).toEqual(["eval/loss", "a/x", "a/loss", "b/loss"]);
  expect(mainFirst(["a/loss", "a/x"], false)).toEqual(["a/x", "a/loss"]);
  expect(mainFirst(["a/loss", "a/x", "eval/loss"], true)).toEqual(["a/loss", "eval/loss", "a/x"]);
});
