import { describe, expect, test } from "vitest";
import { makeScale } from "./scale";
import { compact, shortDuration, xLabel } from "./tickLabels";
import { linearTicks, niceSpan, valueTicks, xTicks } from "./ticks";
import { fitXTicks, placeXLabel } from "./xLabels";

test.each([
  [0, 0.8, 5, [0, 0.2, 0.4, 0.6000000000000001, 0.8]],
  [0, 24000, 4, [0, 5000, 10000, 15000, 20000]],
  [3, 3, 5, [3]],
])("ticks from %d to %d", (lo, hi, wanted, expected) => expect(linearTicks(lo, hi, wanted).at).toEqual(expected));

test("a nice span contains the values and ends on ticks", () => {
  expect(niceSpan(0.213, 0.517)).toEqual([0.2, 0.55]);
  expect(niceSpan(-3, 97)).toEqual([-20, 100]);
});

test.each([
  ["linear", [0.2, 0.4], ["0.20", "0.25", "0.30", "0.35", "0.40"]],
  ["linear", [0, 1e-4], ["0", "2e-5", "4e-5", "6e-5", "8e-5", "1e-4"]],
  ["linear", [0, 250_000], ["0", "50k", "100k", "150k", "200k", "250k"]],
  ["linear", [150_000, 150_400], ["150.0k", "150.1k", "150.2k", "150.3k", "150.4k"]],
  ["linear", [1_240_000, 1_244_000], ["1.240M", "1.241M", "1.242M", "1.243M", "1.244M"]],
  [
    "linear",
    [1_240_000, 1_240_002],
    [
      "1\u2009240\u2009000.0",
      "1\u2009240\u2009000.5",
      "1\u2009240\u2009001.0",
      "1\u2009240\u2009001.5",
      "1\u2009240\u2009002.0",
    ],
  ],
  ["linear", [-2e6, 2e6], ["−2M", "−1M", "0", "1M", "2M"]],
  ["linear", [1e-5, 1.0004e-5], ["1e-5", "1.0001e-5", "1.0002e-5", "1.0003e-5", "1.0004e-5"]],
  ["linear", [3e13, 3.2e13], ["3e13", "3.05e13", "3.1e13", "3.15e13", "3.2e13"]],
  ["log", [150_000, 150_400], ["150.0k", "150.1k", "150.2k", "150.3k", "150.4k"]],
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

test.each([
  [0, 5e6, ["0", "1M", "2M", "3M", "4M", "5M"]],
  [0, 1.5e6, ["0", "0.5M", "1.0M", "1.5M"]],
  [
    2_000_000,
    2_000_004,
    ["2\u2009000\u2009000", "2\u2009000\u2009001", "2\u2009000\u2009002", "2\u2009000\u2009003", "2\u2009000\u2009004"],
  ],
])("steps from %d to %d have labels in one unit", (lo, hi, labels) => {
  expect(xTicks("step", lo, hi, 4).labels).toEqual(labels);
});

describe("labels of an axis", () => {
  const seeds = Array.from({ length: 400 }, (_, i) => i);
  const random = (seed: number): number => (Math.sin(seed * 127.1) * 43758.5453) % 1;
  /** A range of any size at any distance from zero. */
  const rangeOf = (seed: number): [number, number] => {
    const lo = random(seed) * 10 ** (12 * Math.abs(random(seed + 0.5)) - 4);
    return [lo, lo + Math.max(Math.abs(lo) * 1e-9, 10 ** (12 * Math.abs(random(seed + 0.7)) - 6))];
  };

  test("of values never repeat", () => {
    for (const seed of seeds) {
      const { labels } = valueTicks(makeScale("linear", rangeOf(seed)), 5);
      expect(new Set(labels).size, labels.join(" ")).toBe(labels.length);
    }
  });

  test.each(["step", "value", "relative"] as const)("of x (%s) never repeat and never overlap", (kind) => {
    for (const seed of seeds) {
      const [lo, hi] = rangeOf(seed);
      const range = [lo, kind === "step" ? hi + 1 : hi] as const;
      const width = 240 + (seed % 7) * 150;
      const box = { left: 44, top: 8, right: width - 12, bottom: 100 };
      const { at, labels } = fitXTicks(kind, range, box, width, 76);
      expect(new Set(labels).size, labels.join(" ")).toBe(labels.length);
      let free = -Infinity;
      at.forEach((tick, i) => {
        const px = box.left + ((tick - range[0]) / (range[1] - range[0])) * (box.right - box.left);
        const [start, end] = placeXLabel(labels[i]!, px, box, width).span;
        expect(start, labels.join(" ")).toBeGreaterThan(free);
        free = end;
      });
    }
  });

  test("of wall times carry what changes from tick to tick", () => {
    const day = 86400;
    const labels = (span: number): string[] => xTicks("wall", 1.77e9, 1.77e9 + span, 4).labels;
    for (const span of [0.4, 3, 40, 3000, 0.4 * day, 30 * day, 56 * 365 * day])
      expect(new Set(labels(span)).size, labels(span).join(" ")).toBe(labels(span).length);
    expect(labels(56 * 365 * day)[0]).toMatch(/^20\d\d-/);
  });
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
  [90660, 60, "1d\u20091h\u200911m"],
  [5400.25, 0.05, "5400.25s"],
])("%d seconds on an axis of %d are %s", (seconds, step, text) => expect(shortDuration(seconds, step)).toBe(text));

test("the flag shows the step in full", () => {
  expect(xLabel("step", 7600, 24000)).toBe("7600");
  expect(xLabel("step", 1_234_567, 24000)).toBe("1\u2009234\u2009567");
  expect(xLabel("step", 10_049.5, 24000)).toBe("10\u2009050");
  expect(xLabel("value", 0.12345678, 1)).toBe("0.1235");
});
