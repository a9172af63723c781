import { expect, test } from "vitest";
import { pixelOf, rampPixels } from "./raster";

const bytesOf = (pixel: number): number[] => [...new Uint8Array(Uint32Array.of(pixel).buffer)];

test("a pixel has the bytes red, green, blue and alpha, as image data has them", () => {
  expect(bytesOf(pixelOf("#0102ff"))).toEqual([1, 2, 255, 255]);
  expect(bytesOf(pixelOf("#0102ff", 0.5))).toEqual([1, 2, 255, 128]);
});

test("colors may be short, as in minified style sheets", () => {
  expect(pixelOf("#fff")).toBe(pixelOf("#ffffff"));
  expect(pixelOf("#1af")).toBe(pixelOf("#11aaff"));
});

test("a ramp becomes one pixel for each color, converted once", () => {
  const ramp = ["#000000", "#ffffff"];
  expect([...rampPixels(ramp)].map(bytesOf)).toEqual([
    [0, 0, 0, 255],
    [255, 255, 255, 255],
  ]);
  expect(rampPixels(ramp)).toBe(rampPixels(ramp));
});
