import { expect, test } from "vitest";
import { makeScale } from "./scale";
import { compact, shortDuration, xLabel } from "./tickLabels";
import { linearTicks, niceSpan, valueTicks, xTicks } from "./ticks";

test.each([
  [0, 0.8, 5, [0, 0.2, 0.4, 0.6000000000000001, 0.8]],
  [0, 24000, 4, [0, 5000, 10000, 15000, 20000]],
  [3, 3, 5, [3]],
])("ticks from %d to %d", (lo, hi, wanted, expected) => expect(linearTicks(lo, hi, wanted)).toEqual(expected));

test("a nice span contains the values and ends on ticks", () => {
  expect(niceSpan(0.213, 0.517)).toEqual([0.2, 0.55]);
  expect(niceSpan(-3, 97)).toEqual([-20, 100]);
});

test.each([
  ["linear", [0.2, 0.4], ["0.20", "0.25", "0.30", "0.35", "0.40"]],
  ["linear", [0, 1e-4], ["0", "2e-5", "4e-5", "6e-5", "8e-5", "1e-4"]],
  ["linear", [0, 250_000], ["0", "50k", "100k", "150k", "200k", "250k"]],
  ["log", [0.3, 1200], ["1", "10", "100", "1000"]],
  ["symlog", [-100, 100], ["−100", "−10", "0", "10", "100"]],
] as const)("labels of a %s axis over %j", (kind, span, labels) => {
  const scale = makeScale(kind, span, 1);
  expect(valueTicks(scale, 5).labels).toEqual(labels);
});

test("a log axis of less than a decade has more than two ticks", () => {
  const scale = makeScale("log", [0.11, 0.19]);
  expect(valueTicks(scale, 4).at.length).toBeGreaterThan(2);
});

test("compact labels have at most nine characters", () => {
  for (const v of [0, -0.00012345, 1234.5678, 98765.4321, -1.5e7, 3.3e15, 12345678])
    expect(compact(v).length).toBeLessThanOrEqual(9);
});

test("step ticks are whole numbers even in a short range", () => {
  expect(xTicks("step", 3, 5, 8).labels).toEqual(["3", "4", "5"]);
});

test.each([
  [0, 60, "0"],
  [5400, 1800, "1h\u200930m"],
  [45, 15, "45s"],
  [0.25, 0.05, "0.25s"],
  [-120, 60, "−2m"],
  [90061, 3600, "1d\u20091h"],
])("%d seconds on an axis of %d are %s", (seconds, step, text) => expect(shortDuration(seconds, step)).toBe(text));

test("the flag shows the step in full", () => {
  expect(xLabel("step", 7600, 24000)).toBe("7600");
  expect(xLabel("step", 1_234_567, 24000)).toBe("1\u2009234\u2009567");
  expect(xLabel("step", 10_049.5, 24000)).toBe("10\u2009050");
  expect(xLabel("value", 0.12345678, 1)).toBe("0.1235");
});
