/* Assigns layers: the longest path from the sources, with sources pulled down to their users. Edges that close a cycle are turned around. */
import type { LayoutEdge, LayoutNode } from "./types";

/** Edges with upper and lower end, and whether they were turned around. Loops of one node are left out. */
export interface Downward {
  upper: number;
  lower: number;
  isBack: boolean;
}

/** Turns the edges around that close a cycle, found by a depth-first search without recursion. */
export function breakCycles(count: number, edges: LayoutEdge[]): Downward[] {
  const out: number[][] = Array.from({ length: count }, () => []);
  edges.forEach(({ source }, i) => out[source]!.push(i));
  const state = new Uint8Array(count); // 1: on the path, 2: done
  const downward = edges.map(({ source, target }) => ({ upper: source, lower: target, isBack: false }));
  for (let start = 0; start < count; start++) {
    if (state[start]) continue;
    const path: [node: number, next: number][] = [[start, 0]];
    state[start] = 1;
    while (path.length) {
      const top = path.at(-1)!;
      const edge = out[top[0]]![top[1]++];
      if (edge === undefined) {
        state[top[0]] = 2;
        path.pop();
        continue;
      }
      const { target } = edges[edge]!;
      if (state[target] === 1) downward[edge] = { upper: target, lower: top[0], isBack: true };
      else if (state[target] === 0) {
        state[target] = 1;
        path.push([target, 0]);
      }
    }
  }
  return downward;
}

/** Returns the layer of each node. Ports of inputs are alone in the first layer, those of outputs in the last. */
export function assignLayers(nodes: LayoutNode[], edges: Downward[]): number[] {
  const hasInputs = nodes.some(({ port }) => port === "in");
  const layer = nodes.map(({ port }): number => (hasInputs && port !== "in" ? 1 : 0));
  const out: number[][] = nodes.map(() => []);
  const open = nodes.map(() => 0);
  for (const { upper, lower } of edges) {
    if (upper === lower) continue;
    out[upper]!.push(lower);
    open[lower]! += 1;
  }
  const isSource = open.map((count) => count === 0);
  const queue = nodes.flatMap((_, i) => (open[i] === 0 ? [i] : []));
  // The queue grows while it is read.
  for (const node of queue)
    for (const target of out[node]!) {
      layer[target] = Math.max(layer[target]!, layer[node]! + 1);
      open[target]! -= 1;
      if (!open[target]) queue.push(target);
    }
  for (const node of queue.toReversed())
    if (isSource[node] && !nodes[node]!.port && out[node]!.length)
      layer[node] = Math.max(layer[node]!, Math.min(...out[node]!.map((target) => layer[target]!)) - 1);
  let last = -1;
  nodes.forEach(({ port }, i) => port !== "out" && (last = Math.max(last, layer[i]!)));
  return layer.map((value, i) => (nodes[i]!.port === "out" ? last + 1 : value));
}
