/** Labels that place themselves: names of categories at their middle, and texts of points where there is space. */
import type { Placed } from "./camera";
import { type PointColumn, textOf } from "./metadata";

export interface Label {
  text: string;
  x: number;
  y: number;
  /** Names of categories are strong. */
  isStrong: boolean;
}

interface Size {
  width: number;
  height: number;
}

const LINE_PX = 16;
const CHAR_PX = 6.6;
const MAX_CHARS = 36;
const MAX_CATEGORIES = 40;
const MAX_POINT_LABELS = 60;
/** Points that are tried for a label. They are spread evenly over the rows. */
const MAX_TRIED = 3000;

/** Returns the name of each category at the median of its visible points. A name that would cover another one is left out. */
export function categoryLabels(column: PointColumn, placed: Placed, shown: Uint8Array, size: Size): Label[] {
  const { codes, categories } = column;
  if (!codes || !categories || categories.length > MAX_CATEGORIES) return [];
  const places = categories.map(() => ({ x: [] as number[], y: [] as number[] }));
  for (let row = 0; row < codes.length; row++) {
    const x = placed.x[row]!;
    if (!shown[row] || Number.isNaN(x)) continue;
    const at = places[codes[row]!]!;
    at.x.push(x);
    at.y.push(placed.y[row]!);
  }
  const free = new FreeSpace(size);
  return categories.flatMap((name, code) => {
    const { x, y } = places[code]!;
    const label = { text: cut(name), x: median(x), y: median(y), isStrong: true };
    return name && x.length && free.take(label) ? [label] : [];
  });
}

/** Returns texts of points, above them: first of the given rows, then of others where space is left. */
export function pointLabels(
  column: PointColumn,
  placed: Placed,
  shown: Uint8Array,
  size: Size,
  first: number[],
): Label[] {
  const free = new FreeSpace(size);
  const labels: Label[] = [];
  const step = Math.max(1, Math.ceil(placed.x.length / MAX_TRIED));
  const others = Array.from({ length: Math.ceil(placed.x.length / step) }, (_, i) => i * step);
  for (const row of [...first, ...others]) {
    if (labels.length >= MAX_POINT_LABELS) break;
    if (!shown[row]) continue;
    const label = { text: cut(textOf(column, row)), x: placed.x[row]!, y: placed.y[row]! - 10, isStrong: false };
    if (label.text && free.take(label)) labels.push(label);
  }
  return labels;
}

/** Space on screen that no label covers yet. */
class FreeSpace {
  #taken: { left: number; right: number; y: number }[] = [];

  constructor(private readonly size: Size) {}

  /** Takes the space of a label. Returns false if it is not free, or outside the picture. */
  take({ text, x, y }: Label): boolean {
    const half = (text.length * CHAR_PX) / 2 + 2;
    const [left, right] = [x - half, x + half];
    if (!(left >= 0 && right <= this.size.width && y >= LINE_PX && y <= this.size.height - LINE_PX)) return false;
    if (this.#taken.some((one) => Math.abs(one.y - y) < LINE_PX && one.left < right && left < one.right)) return false;
    this.#taken.push({ left, right, y });
    return true;
  }
}

const cut = (text: string): string => (text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS - 1)}…` : text);

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? NaN;
}
