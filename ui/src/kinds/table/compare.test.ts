import { describe, expect, test } from "vitest";
import type { RunDetails, RunMetric } from "../../api/types";
import { markWords, sectionsOf, shownRows, summaryOf } from "./compare";

const metric = (tag: string, value: number | "NaN", direction: RunMetric["direction"]): RunMetric => ({
  tag,
  count: 2,
  first: 1,
  last: value,
  min: value,
  min_step: 1,
  max: value,
  max_step: 1,
  direction,
});

const run = (config: RunDetails["config"], metrics: RunMetric[] = []): RunDetails => ({
  id: "a",
  config,
  command: "",
  environment: {},
  metrics,
  metric_count: metrics.length,
  note_html: null,
});

describe("the comparison", () => {
  test("says how settings differ from the first run, and what is not set", () => {
    const [config] = sectionsOf([
      run({ lr: 3e-5, seed: 4, amp: true, model: "bert" }),
      run({ lr: 5e-5, seed: 1, amp: true }),
    ]);
    expect(config!.rows.map(({ key, isEqual }) => [key, isEqual])).toEqual([
      ["lr", false],
      ["seed", false],
      ["amp", true],
      ["model", false],
    ]);
    expect(config!.rows.map(({ cells }) => cells[1]!.change)).toEqual(["×\u20091.67", "", "", ""]);
    expect(config!.rows[3]!.cells[1]!.text).toBe(null);
    expect(shownRows(config!, { all: false, keys: "" }).map(({ key }) => key)).toEqual(["lr", "seed", "model"]);
    expect(shownRows(config!, { all: true, keys: "m" }).map(({ key }) => key)).toEqual(["amp", "model"]);
    expect(summaryOf(config!, [])).toBe("3 differ, 1 equal");
  });

  test("marks the best value, and leaves other metrics to the switch", () => {
    const [metrics] = sectionsOf([
      run({}, [metric("grad_norm", 2, null), metric("loss", 0.25, "min")]),
      run({}, [metric("loss", 0.2, "min"), metric("grad_norm", "NaN", null)]),
      run({}, [metric("loss", "NaN", "min")]),
    ]);
    const [loss, norm] = metrics!.rows;
    expect([loss!.key, loss!.detail, loss!.best]).toEqual(["loss", "min", 1]);
    expect(loss!.cells.map(({ text, change }) => [text, change])).toEqual([
      ["0.2500", ""],
      ["0.2000", "\u22120.0500"],
      ["NaN", ""],
    ]);
    expect(norm!.cells.map(({ text }) => text)).toEqual(["2", "NaN", null]);
    expect(shownRows(metrics!, { all: false, keys: "" }).map(({ key }) => key)).toEqual(["loss"]);
    expect(shownRows(metrics!, { all: false, keys: "norm" }).map(({ key }) => key)).toEqual(["grad_norm"]);
  });

  test("has no best among equal values", () => {
    const [metrics] = sectionsOf([run({}, [metric("loss", 1, "min")]), run({}, [metric("loss", 1, "min")])]);
    expect(metrics!.rows[0]).toMatchObject({ best: null, isEqual: true });
  });
});

test("words of a command are marked that the first one has not", () => {
  const words = markWords("python train.py --lr 5e-5 --amp", "python train.py --lr 3e-5");
  expect(words.filter(({ isNew }) => isNew).map(({ text }) => text)).toEqual(["5e-5", "--amp"]);
});
