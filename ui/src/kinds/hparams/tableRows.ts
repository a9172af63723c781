/** Order of the table, and the lengths of its bars. */
import { type Cell, cellOf, type Column, finiteOf } from "./trials";

/** Returns rows in the order of a column. Missing values and NaN come last in either direction. */
export function sortRows(rows: readonly number[], column: Column, isDescending: boolean): number[] {
  const cells = new Map(rows.map((row) => [row, cellOf(column, row)]));
  const isKnown = (cell: Cell): boolean => cell !== null && !Number.isNaN(cell);
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [x, y] = [cells.get(a)!, cells.get(b)!];
    const known = Number(isKnown(y)) - Number(isKnown(x));
    if (known || !isKnown(x)) return known;
    if (typeof x === "string" || typeof y === "string")
      return sign * String(x).localeCompare(String(y), undefined, { numeric: true });
    return sign * (x === y ? 0 : Number(x) - Number(y));
  });
}

/** Returns the lowest and the highest number of a column, without the farthest twentieth of the values. */
export function barSpan(column: Column, rows: readonly number[]): [number, number] {
  const values = rows.map((row) => finiteOf(column, row)).filter((value) => !Number.isNaN(value));
  values.sort((a, b) => a - b);
  return [values[0] ?? 0, values[Math.floor((values.length - 1) * 0.95)] ?? 0];
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
