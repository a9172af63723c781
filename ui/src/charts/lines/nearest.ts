/** Points and heights of lines at an x. Not in data.ts, because the first load does not need them. */
import { type Density, type Line, lowerBound } from "./data";

/** Returns the middle of a column of the density. */
export function columnX({ x: [from, to], width }: Density, column: number): number {
  return from + ((column + 0.5) / width) * (to - from);
}

const before = (column: Float32Array, from: number): number => {
  let i = Math.min(from, column.length - 1);
  while (i >= 0 && Number.isNaN(column[i]!)) i--;
  return i;
};

const after = (column: Float32Array, from: number): number => {
  let i = Math.max(from, 0);
  while (i < column.length && Number.isNaN(column[i]!)) i++;
  return i < column.length ? i : -1;
};

/** Returns the index of the line's own point nearest to x, or -1 if x is outside the line. */
export function nearestPoint(xs: Float64Array, line: Line, x: number, tolerance = 0): number {
  const at = lowerBound(xs, x);
  const right = after(line.smooth, at);
  const left = before(line.smooth, at - 1);
  if (left < 0 && right < 0) return -1;
  if (right < 0) return x - xs[left]! <= tolerance ? left : -1;
  if (left < 0) return xs[right]! - x <= tolerance ? right : -1;
  return x - xs[left]! <= xs[right]! - x ? left : right;
}

/** Returns the value of the drawn line at x, interpolated between its points. NaN outside the line. */
export function heightAt(xs: Float64Array, column: Float32Array, x: number): number {
  const at = lowerBound(xs, x);
  const right = after(column, at);
  if (right < 0) return NaN;
  if (xs[right] === x) return column[right]!;
  const left = before(column, at - 1);
  if (left < 0) return NaN;
  const share = (x - xs[left]!) / (xs[right]! - xs[left]!);
  return column[left]! + share * (column[right]! - column[left]!);
}

/** Returns the x of the grid nearest to the given one. The crosshair snaps to it. */
export function snap(xs: Float64Array, x: number): number {
  if (!xs.length) return x;
  const i = lowerBound(xs, x);
  if (i === 0) return xs[0]!;
  if (i === xs.length) return xs[i - 1]!;
  return x - xs[i - 1]! <= xs[i]! - x ? xs[i - 1]! : xs[i]!;
}
