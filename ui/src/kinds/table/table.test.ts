import { describe, expect, test } from "vitest";
import type { FieldRow } from "../../api/types";
import { makeCells } from "../makeCells";
import { align } from "./align";
import { isName, textOf, titleOf, usualColumns } from "./columns";

const field = (name: string, source: FieldRow["source"], more: Partial<FieldRow> = {}): FieldRow => ({
  field: source === "hp" ? `hp.${name}` : source === "metric" ? `last(${name})` : name,
  name,
  source,
  type: "number",
  runs: 3,
  ...more,
});

describe("the first columns", () => {
  test("are the best values of metrics of evaluation, then hyperparameters and the state", () => {
    const fields = [
      field("lr", "hp"),
      field("state", "run"),
      field("eval/loss", "metric", { best: "min" }),
      field("train/accuracy", "metric", { best: "max", runs: 9 }),
      field("train/step_time", "metric"),
    ];
    expect(usualColumns(fields, true)).toEqual([
      "min(eval/loss)",
      "max(train/accuracy)",
      "curve:last(eval/loss)",
      "hp.lr",
      "last_step",
      "duration",
      "state",
      "tags",
    ]);
  });

  test("are last values if no name of a metric tells what is better", () => {
    const [first] = usualColumns([field("x", "metric"), field("y", "metric", { runs: 4 })], false);
    expect(first).toBe("last(y)");
  });
});

test("titles leave out how a query spells a field", () => {
  expect(["min(`a b`)", "curve:last(loss)", "hp.optim.lr", "start", "state"].map(titleOf)).toEqual([
    "a b",
    "loss",
    "optim.lr",
    "started",
    "state",
  ]);
});

test("cells are read by their type", () => {
  const metric = { aggregate: "min", tag: "loss" } as const;
  expect(textOf({ type: "number", metric }, 0.25)).toBe("0.2500");
  expect(textOf({ type: "number", metric: { ...metric, aggregate: "argmin" } }, 13800)).toBe("13\u2009800");
  expect(textOf({ type: "number", metric: null }, 0.00003)).toBe("3e\u22125");
  expect(textOf({ type: "duration", metric: null }, 7980)).toBe("2h 13m");
  expect(textOf({ type: "boolean", metric: null }, true)).toBe("true");
  expect(textOf({ type: "number", metric: null }, null)).toBe("");
});

test("texts that nearly every run has for itself are names", () => {
  expect(isName({ type: "text" }, 40, 50)).toBe(true);
  expect(isName({ type: "text" }, 10, 12)).toBe(false);
  expect(isName({ type: "number" }, 50, 50)).toBe(false);
});

test("cells of an older list of runs are moved to their runs", () => {
  const runs = ["b", "gone", "a"];
  const fact = { runs, type: "number", best: null, cells: makeCells([1, 2, 3]) };
  const cells = align(fact, ["a", "b", "new"]);
  expect([...cells.number]).toEqual([3, 1, NaN]);
  expect([...cells.kind]).toEqual([1, 1, 0]);
  expect(align(fact, [...runs])).toBe(fact.cells);
});
