import { expect, test } from "vitest";
import { pixelOf } from "../../charts/raster";
import { differenceShare, readableColors, smoothPixels, weightShare } from "./colors";

const ramp = ["#ffffff", "#808080", "#000000"];

test("a smooth ramp starts, ends and passes through its colors", () => {
  const pixels = smoothPixels(ramp);
  expect([pixels[0], pixels[255]]).toEqual([pixelOf("#ffffff"), pixelOf("#000000")]);
  expect(new Set(pixels).size).toBeGreaterThan(250);
});

test("weak weights are lifted, and differences have their middle at none", () => {
  expect(weightShare(0.25)).toBe(0.5);
  expect(weightShare(0.1, 0.1)).toBe(1);
  expect([differenceShare(0, 0.2), differenceShare(-0.2, 0.2), differenceShare(1, 0.2)]).toEqual([0.5, 0, 1]);
  expect(differenceShare(0, 0)).toBe(0.5);
});

test("text is readable on the color of every weight", () => {
  expect(readableColors(ramp, 0, ["#000000", "#ffffff"])).toEqual({ background: "#ffffff", ink: "#000000" });
  expect(readableColors(ramp, 1, ["#000000", "#ffffff"])).toEqual({ background: "#000000", ink: "#ffffff" });
  expect(readableColors(["#777777", "#000000"], 0, ["#ffffff"])).toEqual({ background: "#000000", ink: "#ffffff" });
});
