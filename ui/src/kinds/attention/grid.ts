/* Layout of the overview: a cell for each head, by layer or in the order of a value. */
import type { AttentionLayer } from "../../api/types";

export interface HeadCell {
  /** Position among the heads of all layers. */
  index: number;
  /** Positions of the layer and the head among those that were logged. */
  layer: number;
  head: number;
  x: number;
  y: number;
}

export interface HeadGridLayout {
  cells: HeadCell[];
  size: number;
  width: number;
  height: number;
  /** Lines above heads that share their keys and values. */
  groups: { x: number; y: number; width: number }[];
  /** Space at the left for the numbers of layers, and above for those of heads. */
  left: number;
  top: number;
}

export const LABEL_LEFT = 22;
export const LABEL_TOP = 20;
const GAP = 3;
const GROUP_GAP = 5;
const [MIN_SIZE, MAX_SIZE] = [6, 84];
const SORTED_SIZE = 48;
const SORTED_LABEL = 15;

/** Lays heads out as in the model: a row for each layer. */
export function layoutByLayer(layers: AttentionLayer[], width: number): HeadGridLayout {
  const columns = Math.max(...layers.map(({ heads }) => heads.length));
  const groups = Math.max(...layers.map((layer) => groupsOf(layer)));
  const free = width - LABEL_LEFT - GAP * (columns - 1) - GROUP_GAP * Math.max(0, groups - 1);
  const size = Math.max(MIN_SIZE, Math.min(MAX_SIZE, Math.floor(free / columns)));
  const layout: HeadGridLayout = {
    cells: [],
    groups: [],
    size,
    width: 0,
    height: LABEL_TOP + layers.length * (size + GAP),
    left: LABEL_LEFT,
    top: LABEL_TOP,
  };
  let index = 0;
  for (const [row, layer] of layers.entries()) {
    const each = groupsOf(layer) > 1 ? layer.heads.length / groupsOf(layer) : Infinity;
    const y = LABEL_TOP + row * (size + GAP);
    for (const head of layer.heads.keys()) {
      const group = Number.isFinite(each) ? Math.floor(head / each) : 0;
      const x = LABEL_LEFT + head * (size + GAP) + group * GROUP_GAP;
      layout.cells.push({ index: index++, layer: row, head, x, y });
      layout.width = Math.max(layout.width, x + size);
      if (Number.isFinite(each) && each > 1 && head % each === 0)
        layout.groups.push({ x, y: y - 2, width: each * (size + GAP) - GAP });
    }
  }
  return layout;
}

/** Number of groups of heads that share their keys and values, or 0 if each head has its own. */
function groupsOf({ heads, kv_heads }: AttentionLayer): number {
  return kv_heads && kv_heads < heads.length && heads.length % kv_heads === 0 ? kv_heads : 0;
}

/** Lays heads out in lines, the largest value first. Heads without a value come last. */
export function layoutByValue(layers: AttentionLayer[], width: number, values: ArrayLike<number>): HeadGridLayout {
  const heads = layers.flatMap(({ heads }, layer) => [...heads.keys()].map((head) => ({ layer, head })));
  const rank = (index: number): number => (Number.isNaN(values[index]!) ? -Infinity : values[index]!);
  const order = [...heads.keys()].sort((a, b) => rank(b) - rank(a) || a - b);
  const columns = Math.max(1, Math.floor((width + GAP) / (SORTED_SIZE + GAP)));
  const size = SORTED_SIZE;
  const lines = Math.ceil(order.length / columns);
  return {
    cells: order.map((index, place) => ({
      ...heads[index]!,
      index,
      x: (place % columns) * (size + GAP),
      y: Math.floor(place / columns) * (size + SORTED_LABEL + GAP),
    })),
    groups: [],
    size,
    width: Math.min(columns, order.length) * (size + GAP) - GAP,
    height: lines * (size + SORTED_LABEL + GAP),
    left: 0,
    top: 0,
  };
}

/** Returns the cell in a direction from another one, or the same one at the edge. */
export function neighborCell(cells: HeadCell[], from: HeadCell, key: string): HeadCell {
  const at = cells.indexOf(from);
  if (key === "ArrowLeft") return cells[Math.max(0, at - 1)]!;
  if (key === "ArrowRight") return cells[Math.min(cells.length - 1, at + 1)]!;
  if (key === "Home") return cells[0]!;
  if (key === "End") return cells.at(-1)!;
  const isBeyond = (y: number): boolean => (key === "ArrowDown" ? y > from.y : y < from.y);
  const beyond = cells.filter(({ y }) => isBeyond(y));
  const distance = ({ x, y }: HeadCell): number => Math.abs(y - from.y) * 1e4 + Math.abs(x - from.x);
  return (
    beyond.reduce<HeadCell | null>((best, cell) => (best && distance(best) <= distance(cell) ? best : cell), null) ??
    from
  );
}
