import { expect, test } from "vitest";
import { assignLayers, breakCycles } from "./layers";
import { GAP_X, layoutScope } from "./layout";
import type { LayoutEdge, LayoutNode } from "./types";

const box = (width = 80, height = 30): LayoutNode => ({ width, height });
const edge = (source: number, target: number): LayoutEdge => ({ source, target });
const chain = (count: number): LayoutEdge[] => Array.from({ length: count - 1 }, (_, i) => edge(i, i + 1));

/** Pairs of boxes that overlap. */
function overlaps(nodes: LayoutNode[], edges: LayoutEdge[]): number {
  const { places } = layoutScope(nodes, edges);
  let count = 0;
  for (let a = 0; a < nodes.length; a++)
    for (let b = 0; b < a; b++) {
      const [[x, y], [u, v]] = [places[a]!, places[b]!];
      const isBeside = x + nodes[a]!.width <= u + 0.01 || u + nodes[b]!.width <= x + 0.01;
      const isAbove = y + nodes[a]!.height <= v + 0.01 || v + nodes[b]!.height <= y + 0.01;
      if (!isBeside && !isAbove) count++;
    }
  return count;
}

function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1664525 + 1013904223) >>> 0) / 2 ** 32;
}

test("a chain is one straight column", () => {
  const { places, routes } = layoutScope([box(40), box(100), box(60)], chain(3));
  const middles = places.map(([x], i) => x + [40, 100, 60][i]! / 2);
  expect(middles[1]).toBeCloseTo(middles[0]!);
  expect(middles[2]).toBeCloseTo(middles[0]!);
  expect(places.map(([, y]) => y)).toEqual([0, 64, 128]);
  expect(routes.every(({ points }) => points.length === 2)).toBe(true);
});

test("boxes of one layer stand side by side with a gap", () => {
  const { places } = layoutScope([box(), box(), box(), box()], [edge(0, 1), edge(0, 2), edge(1, 3), edge(2, 3)]);
  expect(Math.abs(places[1]![0] - places[2]![0])).toBeGreaterThanOrEqual(80 + GAP_X - 0.01);
  expect(places[1]![1]).toBe(places[2]![1]);
});

test("sources are pulled down to their users", () => {
  const layers = assignLayers(
    Array.from({ length: 5 }, () => box()),
    breakCycles(5, [...chain(4), edge(4, 3)]),
  );
  expect(layers).toEqual([0, 1, 2, 3, 2]);
});

test("ports of inputs are above everything, ports of outputs below", () => {
  const nodes: LayoutNode[] = [box(), box(), { ...box(2, 0), port: "in" }, { ...box(2, 0), port: "out" }];
  expect(assignLayers(nodes, breakCycles(4, [edge(2, 1), edge(0, 3)]))).toEqual([1, 1, 0, 2]);
});

test("an edge that skips many layers runs in a lane beside the picture", () => {
  const { routes, width } = layoutScope(
    Array.from({ length: 6 }, () => box()),
    [...chain(6), edge(0, 5)],
  );
  expect(routes.map(({ isLane }) => isLane)).toEqual([false, false, false, false, false, true]);
  expect(Math.max(...routes[5]!.points.map(([x]) => x))).toBe(width);
});

test("an edge that skips one layer bends around it", () => {
  const { routes, places } = layoutScope([box(), box(), box()], [...chain(3), edge(0, 2)]);
  const { points, isLane } = routes[2]!;
  expect(isLane).toBe(false);
  expect(points).toHaveLength(4);
  const [x] = points[1]!;
  expect(x < places[1]![0] || x > places[1]![0] + 80).toBe(true);
});

test("cycles and loops are drawn with edges that point back", () => {
  const { routes } = layoutScope([box(), box(), box()], [edge(0, 1), edge(1, 2), edge(2, 0), edge(1, 1)]);
  expect(routes.map(({ isBack }) => isBack)).toEqual([false, false, true, true]);
});

test("a chain of 100 000 boxes does not overflow the stack", () => {
  const layers = assignLayers(
    Array.from({ length: 100_000 }, () => box()),
    breakCycles(100_000, chain(100_000)),
  );
  expect(layers.at(-1)).toBe(99_999);
});

test("boxes never overlap", () => {
  const next = random(7);
  for (let round = 0; round < 20; round++) {
    const count = 2 + Math.floor(next() * 60);
    const nodes = Array.from({ length: count }, () => box(40 + next() * 200, 20 + next() * 100));
    const edges = Array.from({ length: Math.floor(count * 1.5) }, () =>
      edge(Math.floor(next() * count), Math.floor(next() * count)),
    );
    expect(overlaps(nodes, edges)).toBe(0);
  }
});

test("nothing is laid out as nothing", () => {
  expect(layoutScope([], [])).toEqual({ width: 0, height: 0, places: [], routes: [] });
});
