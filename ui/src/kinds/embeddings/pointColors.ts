/** Colors of points by a column of the metadata: one per category, or a ramp over numbers. */
import { pixelOf } from "../../charts/raster";
import type { Ramp } from "../../charts/theme";
import type { PointColumn } from "./metadata";

export interface CategoryKey {
  /** Index in the column's categories; -1 for all others together. */
  code: number;
  name: string;
  count: number;
  color: string;
}

export interface PointColors {
  pixels: Uint32Array;
  /** What the colors mean: categories, the range of a ramp, or nothing. */
  keys: CategoryKey[];
  range: [lo: number, hi: number] | null;
}

/** Colors that differ from each other for everybody. The order keeps neighbors in a legend apart. */
const SLOTS = [1, 2, 12, 11, 5, 10, 4, 9, 6, 8, 3];
const OTHER_SLOT = 7;
export const OTHER = -1;

export const slotToken = (code: number): string => `--run-${SLOTS[code] ?? OTHER_SLOT}`;

/** Colors points by category: the most frequent ones get a color of their own, the others share one. */
export function colorByCategory(column: PointColumn, token: (name: string) => string): PointColors {
  const { codes, categories } = column;
  const counts = new Uint32Array(categories!.length);
  for (const code of codes!) counts[code]! += 1;
  const colors = categories!.map((_, code) => pixelOf(token(slotToken(code))));
  const own = categories!.slice(0, SLOTS.length).map((name, code) => ({
    code,
    name: name || "(empty)",
    count: counts[code]!,
    color: token(slotToken(code)),
  }));
  const rest = counts.slice(SLOTS.length).reduce((sum, count) => sum + count, 0);
  const others = { code: OTHER, name: "others", count: rest, color: token(slotToken(SLOTS.length)) };
  return {
    pixels: Uint32Array.from(codes!, (code) => colors[code]!),
    keys: rest ? [...own, others] : own,
    range: null,
  };
}

/** Colors points on a ramp. A value that is not finite gets `missing`. */
export function colorByNumber(numbers: Float64Array, ramp: Ramp, missing: string): PointColors {
  let [lo, hi] = [Infinity, -Infinity];
  for (const value of numbers) {
    if (!Number.isFinite(value)) continue;
    lo = Math.min(lo, value);
    hi = Math.max(hi, value);
  }
  // The lightest colors of the ramp cannot be seen on the surface.
  const colors = ramp.slice(2).map((color) => pixelOf(color));
  const none = pixelOf(missing);
  const pixels = Uint32Array.from(numbers, (value) => {
    if (!Number.isFinite(value)) return none;
    const share = hi > lo ? (value - lo) / (hi - lo) : 0.5;
    return colors[Math.min(colors.length - 1, Math.floor(share * colors.length))]!;
  });
  return { pixels, keys: [], range: hi >= lo ? [lo, hi] : null };
}

export function oneColor(count: number, color: string): PointColors {
  return { pixels: new Uint32Array(count).fill(pixelOf(color)), keys: [], range: null };
}
