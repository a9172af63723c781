import { describe, expect, test } from "vitest";
import { makeAxis } from "./axis";
import { brushBetween, brushedRows, brushText } from "./brush";
import { correlationText, importanceText } from "./importance";
import type { Cell } from "../cells";
import { makeCells } from "../makeCells";
import { type Column, metricId, metricOfId } from "./trials";

function column(values: Cell[], more: Partial<Column> = {}): Column {
  return {
    id: "hp.x",
    title: "x",
    description: "",
    metric: null,
    best: null,
    isConstant: false,
    isNumber: values.every((value) => value === null || typeof value === "number"),
    choices: null,
    interval: null,
    cells: makeCells(values),
    ...more,
  };
}

const rowsOf = ({ cells }: Column): number[] => [...cells.kind.keys()];
const wide = column([1e-5, 1e-4, 1e-3, 1e-2]);

describe("an axis", () => {
  test("is logarithmic if its values span two decades", () => {
    const { scale, at } = makeAxis(wide, rowsOf(wide), 100);
    expect(scale?.kind).toBe("log");
    const steps = [0, 1, 2].map((i) => at[i]! - at[i + 1]!);
    expect(steps.every((step) => Math.abs(step - steps[0]!) < 0.01)).toBe(true);
  });

  test("turns around when it is flipped", () => {
    const usual = makeAxis(wide, rowsOf(wide), 100).at;
    const flipped = makeAxis(wide, rowsOf(wide), 100, { isFlipped: true }).at;
    expect(flipped[0]).toBeCloseTo(100 - usual[0]!);
  });

  test("has a block for each of a few values, with a lane for each trial and none at the bottom", () => {
    const batch = column([16, 16, 32, 32, null, 16]);
    const { blocks, at, scale } = makeAxis(batch, rowsOf(batch), 300);
    expect(scale).toBe(null);
    expect(blocks.map(({ label, count }) => `${label} ×${count}`)).toEqual(["none ×1", "16 ×3", "32 ×2"]);
    expect(new Set(at).size).toBe(6);
    expect(at[4]).toBeGreaterThan(at[0]!);
  });

  test("has places for metrics that are missing or not finite", () => {
    const loss = column([0.1, 0.2, NaN, null, Infinity], { metric: { group: "", tag: "loss" } });
    const { blocks, at } = makeAxis(loss, rowsOf(loss), 300);
    expect(blocks.map(({ label, count }) => `${label} ×${count}`)).toEqual(["none ×1", "NaN ×2"]);
    expect([...at].every((place) => place >= 0 && place <= 300)).toBe(true);
  });

  test("has one block if all values are equal", () => {
    const model = column(["bert", "bert"]);
    expect(makeAxis(model, [0, 1], 100).blocks).toHaveLength(1);
  });
});

describe("a brush", () => {
  test("finds the numbers between two positions", () => {
    const axis = makeAxis(wide, rowsOf(wide), 100);
    const brush = brushBetween(axis, axis.at[1]! + 2, axis.at[2]! - 2)!;
    expect(brushedRows([wide], { "hp.x": brush }, rowsOf(wide))).toEqual([1, 2]);
  });

  test("finds the values of blocks, and missing ones", () => {
    const batch = column([16, 16, 32, 32, null, 16]);
    const axis = makeAxis(batch, rowsOf(batch), 300);
    const brush = brushBetween(axis, axis.at[4]!, axis.at[0]!)!;
    expect(brush.values).toEqual([null, 16]);
    expect(brushedRows([batch], { "hp.x": brush }, rowsOf(batch))).toEqual([0, 1, 4, 5]);
  });

  test("on an unknown column is ignored", () => {
    expect(brushedRows([wide], { "hp.gone": { range: [0, 1] } }, [0, 1])).toEqual([0, 1]);
  });

  test("is a condition in words", () => {
    expect(brushText("lr", { range: [1.7e-5, 4.2e-5] })).toBe("1.7e−5 ≤ lr ≤ 4.2e−5");
    expect(brushText("model", { values: ["bert", null] })).toBe("model: bert, none");
  });
});

describe("importance", () => {
  const row = { name: "lr", share: 0.61, noise: 0.2, correlation: -0.5, log: true, runs: 42 };
  const found = { cursor: 1, runs: 42, failed: 0, needed: 30, rows: [row] };

  test("is a sentence", () => {
    expect(importanceText(found, "val/loss")).toBe("lr explains 61\u2009% of val/loss over 42 runs.");
    expect(correlationText(row, "val/loss")).toBe("Larger lr goes with smaller val/loss.");
  });

  test("claims nothing within the noise or with few runs", () => {
    expect(importanceText({ ...found, rows: [{ ...row, noise: 0.7 }] }, "loss")).toMatch(/stands out from noise/);
    expect(importanceText({ ...found, runs: 12, rows: [] }, "loss")).toBe(
      "Importance needs 30 runs with loss. 12 runs have it.",
    );
  });
});

test("the id of a metric names its group and tag", () => {
  const ref = { group: "validation", tag: "loss: total" };
  expect(metricOfId(metricId(ref))).toEqual(ref);
  expect(metricOfId("hp.lr")).toBe(null);
});
