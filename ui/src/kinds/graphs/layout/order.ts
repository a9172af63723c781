/* Orders the nodes of each layer to avoid crossings: a depth-first start, then sweeps that sort by the median of the neighbors and swap
   pairs. The best order that was found is kept. */
import type { Layered } from "./types";

const SWEEPS = 8;
const SWAP_PASSES = 3;
/** Crossings are counted and pairs swapped only in layers up to this size. */
const MAX_SWAPPED = 400;

export function orderLayers(graph: Layered): number[][] {
  const rows = startingRows(graph);
  const place = new Float64Array(graph.layer.length);
  const number = (): void => rows.forEach((row) => row.forEach((node, i) => (place[node] = i)));
  number();
  let best = rows.map((row) => row.slice());
  let fewest = crossings(graph, rows, place);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    const isDown = sweep % 2 === 0;
    for (let i = 1; i < rows.length; i++)
      sortByMedian(rows[isDown ? i : rows.length - 1 - i]!, isDown ? graph.up : graph.down, place);
    swapPairs(graph, rows, place);
    const count = crossings(graph, rows, place);
    if (count < fewest) [fewest, best] = [count, rows.map((row) => row.slice())];
  }
  return best;
}

function startingRows({ layer, layers, up, down }: Layered): number[][] {
  const rows: number[][] = Array.from({ length: layers }, () => []);
  const seen = new Uint8Array(layer.length);
  const stack = layer.flatMap((_, node) => (up[node]!.length ? [] : [node])).reverse();
  while (stack.length) {
    const node = stack.pop()!;
    if (seen[node]) continue;
    seen[node] = 1;
    rows[layer[node]!]!.push(node);
    for (const next of down[node]!.toReversed()) if (!seen[next]) stack.push(next);
  }
  return rows;
}

function sortByMedian(row: number[], neighbors: number[][], place: Float64Array): void {
  const key = new Map(row.map((node) => [node, median(neighbors[node]!, place) ?? place[node]!]));
  row.sort((a, b) => key.get(a)! - key.get(b)!);
  row.forEach((node, i) => (place[node] = i));
}

/** Weighted median: between two middle neighbors, nearer to the side where neighbors are closer together. */
function median(neighbors: number[], place: Float64Array): number | null {
  const places = neighbors.map((node) => place[node]!).sort((a, b) => a - b);
  const middle = places.length >> 1;
  if (!places.length) return null;
  if (places.length % 2) return places[middle]!;
  const [before, after] = [places[middle - 1]!, places[middle]!];
  const [left, right] = [before - places[0]!, places.at(-1)! - after];
  return left + right > 0 ? (before * right + after * left) / (left + right) : (before + after) / 2;
}

function swapPairs({ up, down }: Layered, rows: number[][], place: Float64Array): void {
  const gain = (a: number, b: number): number => {
    let gained = 0;
    for (const side of [up, down])
      for (const x of side[a]!) for (const y of side[b]!) gained += Math.sign(place[x]! - place[y]!);
    return gained;
  };
  for (let pass = 0, improved = true; pass < SWAP_PASSES && improved; pass++) {
    improved = false;
    for (const row of rows) {
      if (row.length > MAX_SWAPPED) continue;
      for (let i = 0; i + 1 < row.length; i++) {
        const [a, b] = [row[i]!, row[i + 1]!];
        if (gain(a, b) <= 0) continue;
        [row[i], row[i + 1]] = [b, a];
        [place[a], place[b]] = [i + 1, i];
        improved = true;
      }
    }
  }
}

/** Counts crossings between neighboring layers, with a Fenwick tree. */
export function crossings({ down }: Layered, rows: number[][], place: Float64Array): number {
  let count = 0;
  for (let i = 0; i + 1 < rows.length; i++) {
    const size = rows[i + 1]!.length;
    const tree = new Int32Array(size + 1);
    let seen = 0;
    for (const node of rows[i]!)
      for (const target of down[node]!.map((next) => place[next]!).sort((a, b) => a - b)) {
        let notAfter = 0;
        for (let at = target + 1; at > 0; at -= at & -at) notAfter += tree[at]!;
        count += seen - notAfter;
        for (let at = target + 1; at <= size; at += at & -at) tree[at]! += 1;
        seen += 1;
      }
  }
  return count;
}
