/* Chooses the x of the nodes, given their order: each layer in turn moves as close to its neighbors as the order and the gaps allow.
   That is an isotonic regression, solved by pooling adjacent violators. Long edges weigh more, so that they become straight. */
import type { Layered } from "./types";

const PASSES = 12;
/** From this pass on, neighbors on both sides count. */
const BOTH_SIDES = 4;

interface Block {
  sum: number;
  weight: number;
  mean: number;
  last: number;
}

/** Returns the middle of each node. `shift(a, b)` is how far right of the middle of `a` the middle of `b` should be. */
export function positionNodes(
  graph: Layered,
  rows: number[][],
  gap: number,
  shift: (from: number, to: number) => number,
): Float64Array {
  const x = new Float64Array(graph.layer.length);
  for (const row of rows) {
    let at = 0;
    for (const node of row) {
      x[node] = at + graph.widths[node]! / 2;
      at += graph.widths[node]! + gap;
    }
  }
  for (let pass = 0; pass < PASSES; pass++) {
    const isDown = pass % 2 === 0;
    for (let i = 0; i < rows.length; i++)
      positionRow(graph, rows[isDown ? i : rows.length - 1 - i]!, x, gap, isDown, pass >= BOTH_SIDES, shift);
  }
  return x;
}

function positionRow(
  graph: Layered,
  row: number[],
  x: Float64Array,
  gap: number,
  isDown: boolean,
  both: boolean,
  shift: (from: number, to: number) => number,
): void {
  const { size, widths } = graph;
  const [first, second] = isDown ? [graph.up, graph.down] : [graph.down, graph.up];
  const isDummy = (node: number): boolean => node >= size;
  const blocks: Block[] = [];
  const offsets: number[] = [];
  row.forEach((node, i) => {
    const before = row[i - 1];
    const offset = before === undefined ? 0 : offsets[i - 1]! + (widths[before]! + widths[node]!) / 2 + gap;
    offsets.push(offset);
    let [sum, weight] = [0, 0];
    const pull = (others: number[], straight: number, loose: number): void => {
      for (const other of others) {
        const by = isDummy(node) && isDummy(other) ? straight : isDummy(node) || isDummy(other) ? loose * 2 : loose;
        sum += (x[other]! + shift(other, node)) * by;
        weight += by;
      }
    };
    pull(first[node]!, 8, 1);
    if (both) pull(second[node]!, 4, 0.5);
    if (weight === 0) [sum, weight] = [x[node]! * 0.2, 0.2];
    let block: Block = { sum: sum - offset * weight, weight, mean: sum / weight - offset, last: i };
    for (let top = blocks.at(-1); top && top.mean > block.mean; top = blocks.at(-1)) {
      blocks.pop();
      block = { sum: top.sum + block.sum, weight: top.weight + block.weight, mean: 0, last: block.last };
      block.mean = block.sum / block.weight;
    }
    blocks.push(block);
  });
  let at = 0;
  row.forEach((node, i) => {
    while (blocks[at]!.last < i) at++;
    x[node] = blocks[at]!.mean + offsets[i]!;
  });
}
