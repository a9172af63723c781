/** Grids of tensor elements: which axes they have, where an element is, and its color. */

/** Positions on the axes; null on those of the grid. */
export type Index = (number | null)[];
export type ColorScale = "linear" | "sqrt" | "log";

export interface Grid {
  values: Float64Array;
  rows: number;
  columns: number;
  /** First row and column within the slice, and how many of them the grid stands for. */
  top: number;
  left: number;
  height: number;
  width: number;
}

export interface Range {
  lo: number;
  hi: number;
  /** Whether there are values on both sides of zero, which then has the middle color. */
  isDiverging: boolean;
}

/** Returns the first matrix of the last two axes. */
export function firstSlice(shape: number[]): Index {
  return shape.map((_, axis) => (axis < shape.length - 2 ? 0 : null));
}

/** Returns the index if it fits the shape, or else the first slice: another tensor, or a step of another shape. */
export function validIndex(index: Index | null, shape: number[]): Index {
  const fits =
    Array.isArray(index) &&
    index.length === shape.length &&
    index.filter((at) => at === null).length <= 2 &&
    index.every((at, axis) => at === null || (Number.isInteger(at) && at >= 0 && at < shape[axis]!));
  return fits ? index : firstSlice(shape);
}

/** Shows an axis in the grid. If two others are shown, the first of them is fixed. */
export function showAxis(index: Index, axis: number): Index {
  const shown = index.flatMap((at, other) => (at === null && other !== axis ? [other] : []));
  return index.map((at, other) => (other === axis ? null : shown.length > 1 && other === shown[0] ? 0 : at));
}

/** Returns the elements that a cell stands for, as the text of a Python index: `[3, 22, 20:24]`. */
export function cellIndex(index: Index, grid: Grid, row: number, column: number): string {
  const spans = [spanOf(row, grid.rows, grid.top, grid.height), spanOf(column, grid.columns, grid.left, grid.width)];
  return `[${index.map((at) => at ?? spans.shift()!).join(", ")}]`;
}

/** Returns the positions of one cell. The server reduces a grid with the same rounding. */
function spanOf(cell: number, cells: number, first: number, size: number): string {
  const from = first + Math.trunc((cell * size) / cells);
  const to = first + Math.trunc(((cell + 1) * size) / cells);
  return to - from > 1 ? `${from}:${to}` : String(from);
}

export function rangeOf(values: Float64Array): Range | null {
  let [lo, hi] = [Infinity, -Infinity];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < lo) lo = value;
    if (value > hi) hi = value;
  }
  return lo > hi ? null : { lo, hi, isDiverging: lo < 0 && hi > 0 };
}

const BEND = 1000;
const SCALES: Record<ColorScale, (share: number) => number> = {
  linear: (share) => share,
  sqrt: (share) => Math.sqrt(share),
  log: (share) => Math.log1p(BEND * share) / Math.log1p(BEND),
};

/** Returns the position of a value on a ramp, from 0 to 1. Values on both sides of zero are around the middle. */
export function rampPosition(value: number, { lo, hi, isDiverging }: Range, scale: ColorScale): number {
  const bend = SCALES[scale];
  if (isDiverging) {
    const size = Math.max(-lo, hi);
    return 0.5 + (Math.sign(value) * bend(Math.abs(value) / size)) / 2;
  }
  // The smaller the absolute value, the paler: also where all values are negative.
  const [near, far] = hi <= 0 ? [-hi, -lo] : [lo, hi];
  return far > near ? bend((Math.abs(value) - near) / (far - near)) : 0.5;
}
