import { describe, expect, test } from "vitest";
import type { ChartData, Line } from "./data";
import { symlogBend, withoutOutliers, yExtent } from "./extent";

function chart(smooth: number[], raw = smooth): ChartData {
  const line: Line = {
    key: "k",
    run: "r",
    tag: "t",
    points: smooth.length,
    last: { step: 0, wall: 0, value: 0 },
    smooth: Float32Array.from(smooth),
    raw: Float32Array.from(raw),
    marks: [],
    restarts: [],
    attempt: false,
  };
  return {
    x: Float64Array.from(smooth, (_, i) => i),
    span: [0, smooth.length - 1],
    whole: true,
    exact: true,
    points: smooth.length,
    drawn: smooth.length,
    lines: [line],
  };
}

const all = (data: ChartData) => ({ scale: "linear" as const, ignoreOutliers: false, window: data.span });

describe("outliers", () => {
  const wave = (n: number): number[] => Array.from({ length: n }, (_, i) => Math.sin(i));

  test.each([
    ["a few values, though the last is far away", [1, 2, 3, 4, 5, 60]],
    ["the start of a loss", Array.from({ length: 200 }, (_, i) => 0.4 + 1.2 * Math.exp(-i / 60))],
    ["the tail of noise", [...wave(400).map((v) => 0.4 * v), 0.95]],
    ["the top of a schedule", Array.from({ length: 200 }, (_, i) => 1 - i / 200)],
  ])("%s stays in the range", (_, values) => {
    expect(withoutOutliers(Float64Array.from(values))).toEqual([Math.min(...values), Math.max(...values)]);
  });

  test("a spike extends the range by at most half of the other values' range", () => {
    const [lo, hi] = withoutOutliers(Float64Array.from([...wave(99), 1e6]));
    expect(lo).toBeCloseTo(-1, 2);
    expect(hi).toBeGreaterThan(1);
    expect(hi).toBeLessThanOrEqual(2);
  });

  test("one spike does not flatten the curve", () => {
    const data = chart([...Array.from({ length: 99 }, (_, i) => i / 100), 1e6]);
    expect(yExtent(data, { ...all(data), ignoreOutliers: true })[1]).toBeLessThan(2);
    expect(yExtent(data, all(data))[1]).toBeGreaterThanOrEqual(1e6);
  });

  test("the best of five points stays, also among several runs with few points", () => {
    const lines = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => chart([10, 10.2, 10.1, 10.3, 10 + seed / 50]).lines[0]!);
    const data = { ...chart([10, 10, 10, 10, 85]), lines: [...lines, chart([10, 10, 10, 10, 85]).lines[0]!] };
    expect(yExtent(data, { ...all(data), ignoreOutliers: true })[1]).toBeGreaterThanOrEqual(85);
  });

  test("the raw points are in the range, not only the smoothed line", () => {
    const raw = wave(200).map((v) => 5 * v);
    const data = chart(wave(200), raw);
    const [lo, hi] = yExtent(data, { ...all(data), ignoreOutliers: true });
    expect(lo).toBeLessThanOrEqual(Math.min(...raw));
    expect(hi).toBeGreaterThanOrEqual(Math.max(...raw));
  });
});

test("only values in the window count", () => {
  const data = chart([100, 1, 2, 3, 100]);
  const [lo, hi] = yExtent(data, { ...all(data), window: [1, 3] });
  expect([lo, hi]).toEqual([1, 3]);
});

test.each([
  ["a flat line", [0.5, 0.5], (lo: number, hi: number) => lo < 0.5 && hi > 0.5],
  ["a flat line at zero", [0, 0], (lo: number, hi: number) => lo < 0 && hi > 0],
  ["nothing but NaN", [NaN, NaN], (lo: number, hi: number) => lo === 0 && hi === 1],
])("%s gets a nonempty range", (_, values, holds) => {
  const data = chart(values);
  expect(holds(...(yExtent(data, all(data)) as [number, number]))).toBe(true);
});

test("a log axis leaves out values that are not positive", () => {
  const data = chart([-5, 0, 0.01, 10]);
  const [lo, hi] = yExtent(data, { ...all(data), scale: "log" });
  expect(lo).toBeGreaterThan(0.005);
  expect(hi).toBeGreaterThanOrEqual(10);
});

test("on a log axis, outliers are those of the logarithms", () => {
  const decades = Array.from({ length: 200 }, (_, i) => 10 ** (3 * Math.sin(i)));
  const trimmed = (values: number[]): readonly number[] => {
    const data = chart(values);
    return yExtent(data, { scale: "log", ignoreOutliers: true, window: data.span });
  };
  expect(trimmed([...decades, 3000])[1]).toBeGreaterThanOrEqual(3000);
  expect(trimmed([...decades, 1e-30])[0]).toBeGreaterThan(1e-9);
});

test("the symlog bend is below most of the values", () => {
  expect(symlogBend(chart([-200, -30, 0, 5, 40, 300]))).toBe(1);
  expect(symlogBend(chart([0, 0]))).toBe(1);
});

test("the extremes of the density are in the range unless outliers are ignored", () => {
  const [lo, hi] = [Float32Array.of(0.2, 0.2), Float32Array.of(0.6, 40)];
  const image = { width: 2, height: 1, lines: 300, scale: "linear" as const, y: [0.2, 0.6] as const };
  const data = { ...chart([0.3, 0.5]), density: { ...image, x: [0, 1] as const, count: Uint16Array.of(9, 9), lo, hi } };
  expect(yExtent(data, all(data))[1]).toBeGreaterThanOrEqual(40);
  expect(yExtent(data, { ...all(data), ignoreOutliers: true })[1]).toBeLessThan(1);
});
