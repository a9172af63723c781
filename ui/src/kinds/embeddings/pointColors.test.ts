import { expect, test } from "vitest";
import { pixelOf } from "../../charts/raster";
import { colorByCategory, colorByNumber, OTHER } from "./pointColors";

const token = (name: string): string => `#0000${name.replace("--run-", "").padStart(2, "0")}`;

test("frequent categories have colors of their own, the others share one", () => {
  const categories = Array.from({ length: 14 }, (_, i) => `c${i}`);
  const codes = Int32Array.from({ length: 28 }, (_, i) => i % 14);
  const { keys, pixels } = colorByCategory({ name: "label", type: "category", categories, codes }, token);
  expect(keys.length).toBe(12);
  expect(keys.at(-1)).toMatchObject({ code: OTHER, name: "others", count: 6 });
  expect(new Set(pixels).size).toBe(12);
  expect(pixels[12]).toBe(pixels[13]);
});

test("numbers are on a ramp, and those that are not finite have their own color", () => {
  const ramp = ["#000000", "#000001", "#000002", "#000003"];
  const { pixels, range } = colorByNumber(Float64Array.of(0, 5, 10, NaN), ramp, "#ff0000");
  expect(range).toEqual([0, 10]);
  expect([...pixels]).toEqual(["#000002", "#000003", "#000003", "#ff0000"].map((color) => pixelOf(color)));
});
