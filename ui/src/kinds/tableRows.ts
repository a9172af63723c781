/** Order of the rows of a table of runs, the lengths of its bars, and its best values. */
import { type Cells, type Direction, finiteOf, MISSING, NUMBER, TEXT } from "./cells";

interface Column {
  cells: Cells;
  best: Direction | null;
}

export interface SortKey {
  column: Column;
  isDescending: boolean;
}

const natural = new Intl.Collator("en", { numeric: true });

/** Returns rows in the order of several columns, the first first. Missing values and NaN come last in either direction. */
export function sortRows(rows: readonly number[], keys: readonly SortKey[]): number[] {
  const ranks = keys.map(({ column, isDescending }) => ({ rank: rankOf(column), sign: isDescending ? -1 : 1 }));
  return rows.toSorted((a, b) => {
    for (const { rank, sign } of ranks) {
      const [x, y] = [rank(a), rank(b)];
      const known = Number(Number.isNaN(x)) - Number(Number.isNaN(y));
      if (known) return known;
      if (x !== y && !Number.isNaN(x)) return sign * (x < y ? -1 : 1);
    }
    return 0;
  });
}

/** Returns the place of each row among the others as a number; NaN if it has no value. A column with texts is ordered by them,
    numbers in between as they are read. */
function rankOf({ cells }: Column): (row: number) => number {
  const isNumeric = cells.texts.length === 0;
  if (isNumeric) return (row) => (cells.kind[row] === MISSING ? NaN : cells.number[row]!);
  const label = (row: number): string =>
    cells.kind[row] === TEXT ? cells.texts[cells.code[row]!]! : String(cells.number[row]);
  const numbers = [...cells.kind.keys()].filter((row) => cells.kind[row] !== MISSING && cells.kind[row] !== TEXT);
  const labels = [...new Set([...cells.texts, ...numbers.map(label)])].sort(natural.compare);
  const places = new Map(labels.map((text, place) => [text, place]));
  return (row) => (cells.kind[row] === MISSING ? NaN : places.get(label(row))!);
}

export type Span = readonly [number, number];

/** Returns the lowest and the highest number of a column, without the farthest twentieth of the values. */
export function barSpan(column: Column, rows: readonly number[]): Span {
  const values = Float64Array.from(rows, (row) => finiteOf(column, row)).filter((value) => !Number.isNaN(value));
  values.sort();
  return [values[0] ?? 0, values[Math.floor((values.length - 1) * 0.95)] ?? 0];
}

/** Returns the length of the bar of a row, as a part of 1. */
export function barShare(column: Column, row: number, [lo, hi]: Span): number {
  const value = finiteOf(column, row);
  return Number.isNaN(value) || lo === hi ? 0 : Math.min(1, Math.max(0.02, (value - lo) / (hi - lo)));
}

/** Returns the row with the best value of a column, or null if nothing is better. */
export function bestRow(column: Column, rows: readonly number[]): number | null {
  if (!column.best) return null;
  const sign = column.best === "max" ? -1 : 1;
  let [best, least] = [null as number | null, Infinity];
  for (const row of rows) {
    const loss = sign * finiteOf(column, row);
    if (loss < least) [best, least] = [row, loss];
  }
  return best;
}

/** Returns how many different values a column has in these rows, missing ones included, but no more than `limit`. */
export function countValues({ cells }: Column, rows: readonly number[], limit: number): number {
  const seen = new Set<number | string>();
  for (const row of rows) {
    const kind = cells.kind[row]!;
    if (kind === NUMBER) seen.add(cells.number[row]!);
    else seen.add(kind === MISSING ? "" : kind === TEXT ? `t${cells.code[row]}` : `b${cells.number[row]}`);
    if (seen.size >= limit) break;
  }
  return seen.size;
}
