import { expect, test } from "vitest";
import { curvePath } from "./sparklines";

const BOX = { width: 104, height: 20, lastX: 200 };

test("a run that ended early has a shorter curve, and its best point a dot", () => {
  const { path, best } = curvePath({ x: [0, 50, 100], y: [3, 1, 2] }, BOX, "min");
  expect(path).toBe("M2.0 3.0L27.0 17.0L52.0 10.0");
  expect(best).toEqual([27, 17]);
});

test("a constant curve is in the middle, a single point is a dot, and no point nothing", () => {
  expect(curvePath({ x: [0, 200], y: [1, 1] }, BOX, null)).toEqual({ path: "M2.0 10.0L102.0 10.0", best: null });
  expect(curvePath({ x: [5], y: [1] }, { ...BOX, lastX: 5 }, null).best).toEqual([2, 10]);
  expect(curvePath({ x: [], y: [] }, BOX, "min")).toEqual({ path: "", best: null });
});
