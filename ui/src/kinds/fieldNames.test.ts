import { expect, test } from "vitest";
import { hyperparameterOf, metricField, metricOf } from "./fieldNames";

test.each([
  ["last(train/loss)", { aggregate: "last", tag: "train/loss" }],
  ["at(train/loss, 100)", { aggregate: "at", tag: "train/loss", step: "100" }],
  ["min(`odd tag (x), `)", { aggregate: "min", tag: "odd tag (x), " }],
  ["max(`odd tag (x)`)", { aggregate: "max", tag: "odd tag (x)" }],
  ["max(`a \\` and \\\\`)", { aggregate: "max", tag: "a ` and \\" }],
  ["state", null],
  ["hp.min", null],
] as const)("%s", (field, metric) => {
  expect(metricOf(field)).toEqual(metric);
});

test.each(["loss", "a/b-c.d", "odd tag", "with ` and \\", "paren)"])("the field of the tag %s names it", (tag) => {
  expect(metricOf(metricField("min", tag))).toEqual({ aggregate: "min", tag });
  expect(metricOf(metricField("at", tag, "5"))).toEqual({ aggregate: "at", tag, step: "5" });
});

test("hyperparameters have a prefix, in backticks too", () => {
  expect(hyperparameterOf("hp.optim.lr")).toBe("optim.lr");
  expect(hyperparameterOf("`hp.learning rate`")).toBe("learning rate");
  expect(hyperparameterOf("state")).toBe(null);
});
