import { expect, test } from "vitest";
import { radiusOf, splat } from "./splat";

const [WHITE, RED, BLUE] = [0xffffffff, 0xff0000ff, 0xffff0000];
const SIDE = 16;

/** Paints points on a white picture and returns the color of its middle. */
function middleOf(
  colors: number[],
  { strong = [1, 1], shown = [1, 1], near = undefined as number[] | undefined },
): number[] {
  const pixels = new Uint32Array(SIDE * SIDE).fill(WHITE);
  const count = colors.length;
  const placed = {
    x: new Float32Array(count).fill(SIDE / 2),
    y: new Float32Array(count).fill(SIDE / 2),
    near: near && Float32Array.from(near),
  };
  const dots = {
    placed,
    colors: Uint32Array.from(colors),
    strong: Uint8Array.from(strong),
    shown: Uint8Array.from(shown),
  };
  splat(pixels, SIDE, SIDE, dots, 1);
  const pixel = pixels[(SIDE / 2) * SIDE + SIDE / 2]!;
  return [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
}

test("a point mixes its color with what is below", () => {
  const [r, g, b] = middleOf([RED], {});
  expect(r).toBe(255);
  expect(g).toBeLessThan(140);
  expect(b).toBe(g);
});

test("weak points are faint and below strong ones, hidden ones are not drawn", () => {
  expect(middleOf([RED], { strong: [0] })[1]).toBeGreaterThan(200);
  expect(middleOf([BLUE, RED], { strong: [1, 0] })[2]).toBeGreaterThan(middleOf([BLUE, RED], { strong: [0, 1] })[2]!);
  expect(middleOf([RED], { shown: [0] })).toEqual([255, 255, 255]);
});

test("in three dimensions the nearest point is on top", () => {
  const [r, , b] = middleOf([RED, BLUE], { near: [0.9, -0.9] });
  expect(r).toBeGreaterThan(b!);
});

test("points beyond the edges and without a position do no harm", () => {
  const pixels = new Uint32Array(SIDE * SIDE).fill(WHITE);
  const placed = { x: Float32Array.of(-1, 99, NaN, 0), y: Float32Array.of(0, 3, 3, 15.9) };
  const ones = Uint8Array.of(1, 1, 1, 1);
  splat(pixels, SIDE, SIDE, { placed, colors: new Uint32Array(4).fill(RED), strong: ones, shown: ones }, 1);
  expect(pixels.every((pixel) => pixel >>> 24 === 255)).toBe(true);
  expect(pixels.some((pixel) => pixel !== WHITE)).toBe(true);
});

test("more points get smaller disks", () => {
  expect([100, 10_000, 1_000_000].map(radiusOf)).toEqual(
    [100, 10_000, 1_000_000].map(radiusOf).toSorted((a, b) => b - a),
  );
  expect(radiusOf(100)).toBeGreaterThan(radiusOf(1_000_000));
});
