import { expect, test } from "vitest";
import type { GraphEdge, GraphItem, GraphScope } from "../../api/types";
import { type Box, compose, type Picture } from "./picture";
import { neighbor } from "./reach";
import { traced } from "./trace";
import { findPlace } from "./unfold";

function item(path: string, kind: GraphItem["kind"] = "op", members?: string[]): GraphItem {
  const label = path.split("/").at(-1)!;
  return {
    path,
    outer: path,
    label,
    kind,
    type: "",
    start: 0,
    end: 1,
    ops: 1,
    hidden: 0,
    parameters: 0,
    flops: 0,
    unknown_flops: 0,
    device: "",
    shape: null,
    ...(members && { members, member_labels: members }),
  };
}

const edge = (source: number, target: number, ops: number[] = []): GraphEdge => ({
  source,
  target,
  count: 1,
  shape: null,
  shapes: 1,
  ops,
});

function scope(path: string, items: GraphItem[], edges: GraphEdge[] = [], ports: [number, number][] = []): GraphScope {
  const [inputs, outputs] = [0, 1].map((side) =>
    ports.length ? [{ op: side, label: "", path: "", items: [ports[0]![side]!], shape: null }] : [],
  );
  return { path, items, edges, inputs: inputs!, outputs: outputs!, more_inputs: 0 };
}

const LAYERS = ["net/layer.0", "net/layer.1"];
const SCOPES = Object.fromEntries(
  [
    scope("", [item("x", "input"), item("net", "scope"), item("y", "output")], [edge(0, 1, [0]), edge(1, 2, [1])]),
    scope("net", [item("net/a"), item("net/layer.0", "repeat", LAYERS)], [edge(0, 1)], [[0, 1]]),
    ...LAYERS.map((path) => scope(path, [item(`${path}/p`), item(`${path}/q`)], [edge(0, 1)], [[0, 1]])),
  ].map((one) => [one.path, one]),
);

function picture(opened: string[], members: Record<string, number> = {}): Picture {
  return compose(SCOPES[""]!, {
    opened: new Set(opened),
    memberOf: (path) => members[path] ?? 0,
    scope: (path) => SCOPES[path],
    measure: (text) => text.length * 7,
  });
}

const paths = ({ boxes }: Picture): string[] => boxes.map(({ path }) => path);
const boxOf = ({ boxes }: Picture, path: string): Box => boxes.find((box) => box.path === path)!;

test("closed scopes are boxes, open ones hold the boxes of their content", () => {
  expect(paths(picture([]))).toEqual(["x", "net", "y"]);
  const open = picture(["net"]);
  expect(paths(open)).toEqual(["x", "net", "y", "net/a", "net/layer.0"]);
  const [outer, inner] = [boxOf(open, "net"), boxOf(open, "net/a")];
  expect(inner.x).toBeGreaterThan(outer.x);
  expect(inner.y).toBeGreaterThan(outer.y);
  expect(inner.x + inner.width).toBeLessThan(outer.x + outer.width);
  expect(boxOf(open, "y").y).toBeGreaterThan(outer.y + outer.height);
});

test("an edge into an open scope ends above the box that it goes on to", () => {
  const open = picture(["net"]);
  const outside = open.lines.find(({ from }) => from.path === "x")!;
  const inside = open.lines.find(({ kind }) => kind === "enters")!;
  expect(outside.points.at(-1)![0]).toBeCloseTo(inside.points[0]![0], 0);
});

test("equal blocks show the one that was chosen, and keep what is open in it", () => {
  expect(paths(picture(["net", "net/layer.0"], { "net/layer.0": 1 })).slice(5)).toEqual([
    "net/layer.1/p",
    "net/layer.1/q",
  ]);
  expect(boxOf(picture(["net", "net/layer.0"], { "net/layer.0": 1 }), "net/layer.1/p").canonical).toBe("net/layer.0/p");
});

test("a scope that is not there yet stays closed and is asked for", () => {
  const { missing, boxes } = compose(SCOPES[""]!, {
    opened: new Set(["net"]),
    memberOf: () => 0,
    scope: () => undefined,
    measure: () => 10,
  });
  expect(missing).toEqual(["net"]);
  expect(boxes.every(({ isOpen }) => !isOpen)).toBe(true);
});

test("arrow keys follow edges into and out of open scopes", () => {
  const open = picture(["net", "net/layer.0"]);
  const way: string[] = [];
  for (let at: Box | null = boxOf(open, "x"); at && way.length < 9; at = neighbor(open, at, "down")) way.push(at.path);
  expect(way).toEqual(["x", "net", "net/a", "net/layer.0", "net/layer.0/p", "net/layer.0/q", "y"]);
  expect(neighbor(open, null, "down")?.path).toBe("x");
  expect(neighbor(open, boxOf(open, "net/layer.0/q"), "up")?.path).toBe("net/layer.0/p");
});

test("a trace holds everything before a box", () => {
  const open = picture(["net"]);
  const found = [...traced(open, boxOf(open, "net/layer.0"), true)].map(({ path }) => path);
  expect(new Set(found)).toEqual(new Set(["net/layer.0", "net/a", "x", "net"]));
});

test("the way to a node opens the boxes around it, and chooses among equal blocks", async () => {
  const fetch = (path: string): Promise<GraphScope> => Promise.resolve(SCOPES[path]!);
  expect(await findPlace("net/layer.1/q", fetch)).toEqual({
    path: "net/layer.1/q",
    opened: ["net", "net/layer.0"],
    members: { "net/layer.0": 1 },
  });
  expect(await findPlace("net/a", fetch)).toEqual({ path: "net/a", opened: ["net"], members: {} });
});
