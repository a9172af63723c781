/* Columns of facts about runs, as the server sends them: numbers, codes of texts, and which rows have which. */
import type { Table } from "../api/frames";
import { number } from "../base/format";

export type Direction = "min" | "max";

/** A value of a run; null if it has none. */
export type Cell = number | string | boolean | null;

/** Cells of a column: 0 for a missing value, 1 for a number, 2 for a text, 3 for a boolean. */
export interface Cells {
  kind: Uint8Array;
  number: Float64Array;
  code: Int32Array;
  texts: string[];
}

interface WithCells {
  cells: Cells;
}

export const MISSING = 0;
export const NUMBER = 1;
export const TEXT = 2;
export const BOOLEAN = 3;

export function cellsOf(table: Table, size: number, texts: string[]): Cells {
  return {
    kind: table.kind as Uint8Array,
    number: (table.number as Float64Array | undefined) ?? new Float64Array(size).fill(NaN),
    code: (table.code as Int32Array | undefined) ?? new Int32Array(size).fill(-1),
    texts,
  };
}

export function cellOf({ cells }: WithCells, row: number): Cell {
  const kind = cells.kind[row];
  if (kind === MISSING) return null;
  if (kind === TEXT) return cells.texts[cells.code[row]!]!;
  const value = cells.number[row]!;
  return kind === BOOLEAN ? value === 1 : value;
}

/** The number of a cell that has a finite one, else NaN. Booleans have none: their values are categories. */
export function finiteOf({ cells }: WithCells, row: number): number {
  if (cells.kind[row] !== NUMBER) return NaN;
  const value = cells.number[row]!;
  return Number.isFinite(value) ? value : NaN;
}

export function cellLabel(value: Cell): string {
  if (value === null) return "none";
  return typeof value === "number" ? number(value) : String(value);
}

/** A value as somebody sets it: without zeros at the end. */
export function settingLabel(value: Cell, digits = 4): string {
  if (typeof value !== "number") return cellLabel(value);
  return number(value, digits)
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");
}
