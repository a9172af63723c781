import { expect, test } from "vitest";
import { turnBy } from "../../charts/orbit";
import { type Camera, fitCamera, type Layout, pan, place, zoom } from "./camera";

const SIZE = [400, 300] as const;
const flat: Layout = { x: Float32Array.of(-1, 0, 1), y: Float32Array.of(0, 2, 0) };
const cube: Layout = { x: Float32Array.of(-1, 1), y: Float32Array.of(-1, 1), z: Float32Array.of(-1, 1) };

const at = (layout: Layout, camera: Camera, row: number): [number, number] => {
  const { x, y } = place(layout, camera, ...SIZE);
  return [x[row]!, y[row]!];
};

test("the fitted camera shows all points, with the y axis up", () => {
  const { x, y } = place(flat, fitCamera([flat], ...SIZE), ...SIZE);
  expect([...x].every((value) => value >= 0 && value <= SIZE[0])).toBe(true);
  expect([...y].every((value) => value >= 0 && value <= SIZE[1])).toBe(true);
  expect(x[0]! < x[1]! && x[1]! < x[2]!).toBe(true);
  expect(y[1]!).toBeLessThan(y[0]!);
});

test("one point, or none, has a camera too", () => {
  const one: Layout = { x: Float32Array.of(5), y: Float32Array.of(5) };
  expect(at(one, fitCamera([one], ...SIZE), 0)).toEqual([200, 150]);
  expect(Number.isFinite(fitCamera([], ...SIZE).scale)).toBe(true);
});

test("a few strays do not shrink the picture", () => {
  const values = Float32Array.from({ length: 5000 }, (_, i) => i / 5000);
  const strays = values.map((value, i) => (i === 0 ? -1000 : value));
  const scale = (x: Float32Array): number => fitCamera([{ x, y: values }], ...SIZE).scale;
  expect(scale(strays)).toBeCloseTo(scale(values), 0);
});

test.each([
  ["two", flat, true],
  ["three", cube, false],
] as const)("a pan in %s dimensions moves every point by that many pixels", (_, layout, isFlat) => {
  const camera = { ...fitCamera([layout], ...SIZE), scale: 1e-3 };
  const [before, after] = [at(layout, camera, 0), at(layout, pan(camera, 30, -20, isFlat), 0)];
  expect(after[0] - before[0]).toBeCloseTo(30, 1);
  expect(after[1] - before[1]).toBeCloseTo(-20, 1);
});

test("a zoom keeps the place under the pointer", () => {
  const camera = fitCamera([flat], ...SIZE);
  const [x, y] = at(flat, camera, 2);
  const zoomed = zoom(camera, 3, [x - SIZE[0] / 2, y - SIZE[1] / 2], true);
  expect(at(flat, zoomed, 2)[0]).toBeCloseTo(x, 3);
  expect(at(flat, zoomed, 2)[1]).toBeCloseTo(y, 3);
  expect(zoomed.scale).toBeCloseTo(3 * camera.scale);
});

test("turning by the width of the picture is half a turn", () => {
  const camera = { ...fitCamera([cube], ...SIZE), yaw: 0, pitch: 0 };
  const before = place(cube, camera, ...SIZE);
  const after = place(cube, turnBy(camera, SIZE[0], 0, SIZE[0]), ...SIZE);
  expect(after.near![0]).toBeCloseTo(-before.near![0]!);
  expect(after.near![0]).not.toBeCloseTo(0);
});

test("nearer points are larger, and rows without a position stay without one", () => {
  const layout: Layout = { x: Float32Array.of(1, 1, NaN), y: Float32Array.of(0, 0, 0), z: Float32Array.of(-1, 1, 0) };
  const { x, near } = place(layout, { center: [0, 0, 0], scale: 100, yaw: 0, pitch: 0 }, ...SIZE);
  expect(near![1]!).toBeGreaterThan(near![0]!);
  expect(x[1]!).toBeGreaterThan(x[0]!);
  expect(x[2]).toBeNaN();
});
