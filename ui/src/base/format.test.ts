import { expect, test } from "vitest";
import { ago, duration, integer, number, size } from "./format";

/** Thin spaces, which no editor shows. */
const thin = (text: string) => text.replaceAll("_", "\u2009");

test.each([
  [0, "0"],
  [1, "1"],
  [-3, "−3"],
  [0.27141, "0.2714"],
  [12.5, "12.50"],
  [123.456, "123.5"],
  [0.00012341, "0.0001234"],
  [0.0000123, "1.23e−5"],
  [1234567, "1_234_567"],
  [1e12, "1_000_000_000_000"],
  [2.5e10 + 0.5, "2.5e10"],
  [Number.NaN, "NaN"],
  [Infinity, "+Inf"],
  [-Infinity, "−Inf"],
])("number(%d) reads %s", (value, text) => {
  expect(number(value)).toBe(thin(text));
});

test.each([
  [1000, "1000"],
  [24000, "24_000"],
  [1000000, "1_000_000"],
])("integer(%d) reads %s", (value, text) => {
  expect(integer(value)).toBe(thin(text));
});

test.each([
  [0.42, "0.4s"],
  [48, "48s"],
  [130, "2m 10s"],
  [7980, "2h 13m"],
  [270000, "3d 3h"],
  [-5, "−5.0s"],
])("duration(%d) reads %s", (value, text) => {
  expect(duration(value)).toBe(text);
});

test.each([
  [2, "now"],
  [42, "42s ago"],
  [2280, "38m ago"],
  [86400, "1 day ago"],
  [200000, "2 days ago"],
])("ago(%d) reads %s", (value, text) => {
  expect(ago(value)).toBe(text);
});

test.each([
  [0, "0 B"],
  [512, "512 B"],
  [48_200_000, "48.2 MB"],
  [1.3e9, "1.3 GB"],
  [999_900, "1.0 MB"],
])("size(%d) reads %s", (value, text) => {
  expect(size(value)).toBe(text);
});
