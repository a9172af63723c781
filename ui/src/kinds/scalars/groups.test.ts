import { expect, test } from "vitest";
import { moved } from "./dragCards";
import { bulky, groupTags, PINNED, sortTags, splitTag } from "./groups";
import { counterparts, relatives } from "./overlays";

test("tags are sorted as people count", () => {
  expect(sortTags(["layer10/w", "layer2/w", "Layer1/w"])).toEqual(["Layer1/w", "layer2/w", "layer10/w"]);
});

test("groups are what stands before the first slash; tags without one are together", () => {
  const groups = groupTags(["eval/loss", "lr", "train/a/b", "train/loss"], [], []);
  expect(groups.map((group) => [group.title, group.tags])).toEqual([
    ["eval", ["eval/loss"]],
    ["no prefix", ["lr"]],
    ["train", ["train/a/b", "train/loss"]],
  ]);
});

test("pinned cards come first, in the order they were pinned, and stay in their groups", () => {
  const groups = groupTags(["a/1", "a/2", "b/1"], ["b/1", "a/1", "gone"], []);
  expect(groups[0]).toEqual({ id: PINNED, title: "Pinned", tags: ["b/1", "a/1"] });
  expect(groups[1]!.tags).toEqual(["a/1", "a/2"]);
});

test("a group that would bury the others is bulky, unless all are", () => {
  const heads = Array.from({ length: 61 }, (_, i) => `attention/head${i}`);
  const weights = heads.map((head) => `weights/${head}`);
  expect(bulky(groupTags([...heads, "train/loss"], [], []))).toEqual(new Set(["attention"]));
  expect(bulky(groupTags([...heads.slice(1), "train/loss"], [], []))).toEqual(new Set());
  expect(bulky(groupTags([...heads, ...weights], [], []))).toEqual(new Set());
});

test("what was moved by hand comes first", () => {
  expect(groupTags(["a/1", "a/2", "a/3"], [], ["a/3"])[0]!.tags).toEqual(["a/3", "a/1", "a/2"]);
});

test.each([
  ["c", "a", ["c", "a", "b"]],
  ["a", null, ["b", "c", "a"]],
  ["a", "c", ["b", "a", "c"]],
  ["b", "b", ["a", "b", "c"]],
])("%s moved before %s", (tag, before, expected) => expect(moved(["a", "b", "c"], tag, before)).toEqual(expected));

test.each([
  ["train/loss", ["train/", "loss"]],
  ["a/b/c", ["a/b/", "c"]],
  ["loss", ["", "loss"]],
  ["odd/", ["", "odd/"]],
])("%s in two inks", (tag, parts) => expect(splitTag(tag)).toEqual(parts));

test.each([
  [
    "train/loss",
    ["eval/loss", "eval/val_loss", "train/lr", "loss/validation"],
    ["eval/loss", "eval/val_loss", "loss/validation"],
  ],
  ["val_acc", ["train_acc", "train_loss"], ["train_acc"]],
  ["loss", ["val_loss", "train/aux_loss"], ["val_loss"]],
  ["train", ["val"], []],
])("with %s of %j belongs %j", (tag, tags, expected) => expect(counterparts(tag, tags)).toEqual(expected));

test("of the same unit is what has the same last word", () => {
  expect(relatives("train/loss", ["eval/loss", "train/aux_loss", "train/lr"])).toEqual(["train/aux_loss"]);
});
