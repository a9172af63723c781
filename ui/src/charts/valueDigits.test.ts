import { expect, test } from "vitest";
import { number } from "../base/format";
import { makeScale, type ScaleKind } from "./scale";
import { digitsOn } from "./valueDigits";

const text = (kind: ScaleKind, span: [number, number], value: number): string =>
  number(value, digitsOn(makeScale(kind, span), value));

test.each([
  [[0, 3], 0.27144, "0.2714"],
  [[0, 3], 2.3456, "2.346"],
  [[1e6, 1e6 + 0.6], 1000000.25, "1\u2009000\u2009000.25"],
  [[1e6, 1e6 + 0.6], Math.fround(1000000.1), "1\u2009000\u2009000.1"],
  [[0.69, 0.6901], 0.690012345, "0.6900123"],
  [[0, 0], 5.5, "5.500"],
  [[0, 1], NaN, "NaN"],
  [[0, 1], Infinity, "+Inf"],
] as [[number, number], number, string][])("on an axis of %j, %d is %s", (span, value, expected) => {
  expect(text("linear", span, value)).toBe(expected);
});

test.each(["linear", "log", "symlog"] as const)("what is apart on a %s axis has different digits", (kind) => {
  for (const [lo, hi] of [
    [1e6, 1e6 + 0.6],
    [0.9999, 1],
    [123456.7, 123456.8],
    [3e-5, 3.0001e-5],
  ] as const) {
    const scale = makeScale(kind, [lo, hi]);
    const texts = Array.from({ length: 500 }, (_, i) => text(kind, [lo, hi], scale.value(i / 500)));
    expect(new Set(texts).size).toBe(500);
  }
});
