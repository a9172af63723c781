/* Layered layout of one scope: layers, order, positions, then the routes of the edges. Edges that skip many layers run in lanes beside
   the picture. */
import { assignLayers, breakCycles, type Downward } from "./layers";
import { orderLayers } from "./order";
import { positionNodes } from "./position";
import type { Layered, Layout, LayoutEdge, LayoutNode, Route } from "./types";

export const GAP_X = 24;
export const GAP_Y = 34;
/** Between a port and what is next to it: the border of the scope is near. */
const PORT_GAP = 16;
const DUMMY_PX = 10;
/** Edges over more layers than this run in a lane. */
const MAX_SPAN = 3;
const LANE_PX = 14;
const LANE_GAP = 18;
/** Above this many edges, all long ones run in lanes: dummies would take too long. */
const MAX_DUMMIES = 4000;

export function layoutScope(nodes: LayoutNode[], edges: LayoutEdge[]): Layout {
  const downward = breakCycles(nodes.length, edges);
  const layer = assignLayers(nodes, downward);
  const graph = layered(nodes, downward, layer);
  const rows = orderLayers(graph);
  const x = positionNodes(graph, rows, GAP_X, shifts(edges, graph));
  const { tops, heights, height } = stack(nodes, layer, graph.layers);
  const places = nodes.map(({ width, height }, i): [number, number] => {
    const at = layer[i]!;
    return [x[i]! - width / 2, tops[at]! + (heights[at]! - height) / 2];
  });
  const lanes = new Lanes(nodes, places, layer);
  const routes = edges.map((edge, i) => {
    const { isBack } = downward[i]!;
    const chain = graph.chains[i];
    if (!chain || isBack) return lanes.route(edge, isBack);
    const [start, end] = ends(nodes, places, edge);
    const passed = chain.flatMap((dummy): [number, number][] => {
      const at = graph.layer[dummy]!;
      return [
        [x[dummy]!, tops[at]!],
        [x[dummy]!, tops[at]! + heights[at]!],
      ];
    });
    return { points: [start, ...passed, end], isLane: false, isBack };
  });
  return normalized(nodes, places, routes, height);
}

function layered(nodes: LayoutNode[], edges: Downward[], layer: number[]): Layered {
  const layers = layer.reduce((most, at) => Math.max(most, at), 0) + 1;
  const graph: Layered = {
    size: nodes.length,
    layer: [...layer],
    layers,
    widths: nodes.map(({ width }) => width),
    up: nodes.map(() => []),
    down: nodes.map(() => []),
    chains: [],
  };
  const connect = (upper: number, lower: number): void => {
    graph.down[upper]!.push(lower);
    graph.up[lower]!.push(upper);
  };
  for (const { upper, lower } of edges) {
    const span = layer[lower]! - layer[upper]!;
    const isLane = span < 1 || span > MAX_SPAN || graph.layer.length > nodes.length + MAX_DUMMIES;
    if (isLane && !(nodes[upper]!.port && span > 0 && span <= 2 * MAX_SPAN)) {
      graph.chains.push(null);
      continue;
    }
    const chain: number[] = [];
    let last = upper;
    for (let at = layer[upper]! + 1; at < layer[lower]!; at++) {
      const dummy = graph.layer.push(at) - 1;
      graph.widths.push(DUMMY_PX);
      graph.up.push([]);
      graph.down.push([]);
      connect(last, dummy);
      chain.push(dummy);
      last = dummy;
    }
    connect(last, lower);
    graph.chains.push(chain);
  }
  return graph;
}

/** Returns how far apart the middles of two neighbors should be, so that the edge between them is straight. */
function shifts(edges: LayoutEdge[], graph: Layered): (from: number, to: number) => number {
  const known = new Map<number, number>();
  const count = graph.layer.length;
  edges.forEach(({ source, target, sourceDx = 0, targetDx = 0 }, i) => {
    const chain = graph.chains[i];
    if (!chain || (!sourceDx && !targetDx)) return;
    const [first, last] = [chain[0] ?? target, chain.at(-1) ?? source];
    const put = (upper: number, lower: number, by: number): void => {
      known.set(upper * count + lower, by);
      known.set(lower * count + upper, -by);
    };
    if (chain.length) {
      put(source, first, sourceDx);
      put(last, target, -targetDx);
    } else put(source, target, sourceDx - targetDx);
  });
  return (from, to) => known.get(from * count + to) ?? 0;
}

function stack(
  nodes: LayoutNode[],
  layer: number[],
  layers: number,
): { tops: number[]; heights: number[]; height: number } {
  const heights = Array.from({ length: layers }, () => 0);
  nodes.forEach(({ height }, i) => (heights[layer[i]!] = Math.max(heights[layer[i]!]!, height)));
  const hasPorts = heights.map((height) => height === 0);
  let y = 0;
  const tops = heights.map((height, i) => {
    const top = y;
    y += height;
    if (i + 1 < layers) y += hasPorts[i] || hasPorts[i + 1] ? PORT_GAP : GAP_Y;
    return top;
  });
  return { tops, heights, height: y };
}

function ends(nodes: LayoutNode[], places: Layout["places"], edge: LayoutEdge): [[number, number], [number, number]] {
  const [source, target] = [nodes[edge.source]!, nodes[edge.target]!];
  const [from, to] = [places[edge.source]!, places[edge.target]!];
  return [
    [from[0] + source.width / 2 + (edge.sourceDx ?? 0), from[1] + source.height],
    [to[0] + target.width / 2 + (edge.targetDx ?? 0), to[1]],
  ];
}

/** Lanes to the right of what they pass. Each is as far left as the lanes beside it allow. */
class Lanes {
  private readonly used: { top: number; bottom: number; x: number }[] = [];

  constructor(
    private readonly nodes: LayoutNode[],
    private readonly places: Layout["places"],
    private readonly layer: number[],
  ) {}

  route({ source, target }: LayoutEdge, isBack: boolean): Route {
    const [from, to] = [this.side(source), this.side(target)];
    const [top, bottom] = [Math.min(from[1], to[1]), Math.max(from[1], to[1])];
    const [upper, lower] = [this.layer[source]!, this.layer[target]!].sort((a, b) => a - b);
    let x = -Infinity;
    this.nodes.forEach(({ width }, i) => {
      if (this.layer[i]! >= upper! && this.layer[i]! <= lower!) x = Math.max(x, this.places[i]![0] + width);
    });
    x += LANE_GAP;
    const blocking = this.used.filter((lane) => lane.top < bottom && lane.bottom > top).map((lane) => lane.x);
    while (blocking.some((other) => Math.abs(other - x) < LANE_PX)) x += LANE_PX;
    this.used.push({ top, bottom, x });
    return { points: [from, [x, from[1]], [x, to[1]], to], isLane: true, isBack };
  }

  private side(node: number): [number, number] {
    const [x, y] = this.places[node]!;
    return [x + this.nodes[node]!.width, y + this.nodes[node]!.height / 2];
  }
}

/** Moves everything so that the upper left corner is at 0, 0. */
function normalized(nodes: LayoutNode[], places: Layout["places"], routes: Route[], height: number): Layout {
  let [left, right] = [Infinity, -Infinity];
  const include = (from: number, to: number): void => {
    left = Math.min(left, from);
    right = Math.max(right, to);
  };
  places.forEach(([x], i) => include(x, x + nodes[i]!.width));
  for (const { points } of routes) for (const [x] of points) include(x, x);
  if (!places.length) return { width: 0, height: 0, places, routes };
  const moved = ([x, y]: [number, number]): [number, number] => [x - left, y];
  return {
    width: right - left,
    height: Math.max(0, height),
    places: places.map(moved),
    routes: routes.map((route) => ({ ...route, points: route.points.map(moved) })),
  };
}
