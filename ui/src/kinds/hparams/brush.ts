/** Brushes: conditions on columns, drawn on the axes. They select the trials that all views show. */
import type { Span } from "../../charts/box";
import { type Cell, cellOf, finiteOf, settingLabel } from "../cells";
import { type Axis, NOT_FINITE } from "./axis";
import type { Column } from "./trials";

/** A trial passes if its number is in the range, or its value is one of the values. */
export interface Brush {
  range?: Span;
  values?: Cell[];
}

/** By the id of the column. */
export type Brushes = Readonly<Record<string, Brush>>;

export function passes(column: Column, row: number, { range, values }: Brush): boolean {
  const value = finiteOf(column, row);
  if (range && value >= range[0] && value <= range[1]) return true;
  if (!values) return false;
  const cell = cellOf(column, row);
  return values.includes(typeof cell === "number" && Number.isNaN(value) ? NOT_FINITE : cell);
}

/** Returns the rows that pass all brushes. Brushes of unknown columns are ignored. */
export function brushedRows(columns: readonly Column[], brushes: Brushes, rows: readonly number[]): readonly number[] {
  const active = columns.flatMap((column) => (brushes[column.id] ? [[column, brushes[column.id]!] as const] : []));
  if (!active.length) return rows;
  return rows.filter((row) => active.every(([column, brush]) => passes(column, row, brush)));
}

/** Returns the brush from one position on an axis to another, or null if there is nothing between them. */
export function brushBetween(axis: Axis, a: number, b: number): Brush | null {
  const [from, to] = [Math.min(a, b), Math.max(a, b)];
  const brush: Brush = {};
  const values = axis.blocks.filter((block) => block.to >= from && block.from <= to).map(({ value }) => value);
  if (values.length) brush.values = values;
  if (axis.scale && from < axis.to) {
    const share = (at: number): number => Math.min(1, Math.max(0, (at - axis.from) / (axis.to - axis.from)));
    const ends = [axis.scale.value(share(from)), axis.scale.value(share(to))].sort((x, y) => x - y);
    brush.range = [round(ends[0]!), round(ends[1]!)];
  }
  return brush.values || brush.range ? brush : null;
}

/** Three digits are finer than a pixel, and readable. */
const round = (value: number): number => Number(value.toPrecision(3));

/** Returns the parts of an axis that a brush covers. */
export function brushedParts(axis: Axis, { range, values }: Brush): Span[] {
  const parts: Span[] = axis.blocks
    .filter(({ value }) => values?.includes(value))
    .map(({ from, to }): Span => [from - 3, to + 3]);
  if (range && axis.scale) {
    const place = (value: number): number => axis.from + axis.scale!.at(value) * (axis.to - axis.from);
    const ends = range.map(place).sort((x, y) => x - y);
    parts.push([Math.max(axis.from, ends[0]!), Math.min(axis.to, ends[1]!)]);
  }
  return parts;
}

/** The condition in words: `1.7e−5 ≤ lr ≤ 4.2e−5`, `model: bert, cnn`. */
export function brushText(title: string, { range, values }: Brush): string {
  const between = range ? `${settingLabel(range[0], 3)} ≤ ${title} ≤ ${settingLabel(range[1], 3)}` : "";
  const names = values?.map((value) => settingLabel(value)).join(", ");
  if (!names) return between;
  return between ? `${between} or ${names}` : `${title}: ${names}`;
}
