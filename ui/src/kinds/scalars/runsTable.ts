/* Rows of the table below an expanded chart, and their order. */
import { natural } from "../../app/runs/tree";
import type { ExtremePoint } from "../../api/types";

export interface Row {
  key: string;
  run: string;
  tag: string;
  label: string;
  color: string;
  /** Not a number until the exact point has arrived, or if there is none. */
  smoothed: number;
  value: number;
  min: ExtremePoint | null;
  max: ExtremePoint | null;
  /** The first non-finite value in the range. */
  nonFinite: ExtremePoint | null;
  step: number | null;
  relative: number | null;
}

export const COLUMNS = [
  { id: "run", title: "run", left: true },
  { id: "smoothed", title: "smoothed", left: false },
  { id: "value", title: "value", left: false },
  { id: "min", title: "min in range", left: false },
  { id: "max", title: "max in range", left: false },
  { id: "step", title: "step", left: false },
  { id: "relative", title: "relative", left: false },
] as const;

export type Column = (typeof COLUMNS)[number]["id"];

/** Sorts rows. Those without a value are last in both directions. */
export function sortRows(rows: Row[], by: Column, up: boolean): Row[] {
  const sign = up ? 1 : -1;
  if (by === "run") return [...rows].sort((a, b) => (natural(a.label) < natural(b.label) ? -sign : sign));
  const size = (row: Row): number => {
    const cell = row[by];
    return cell === null ? NaN : Number(typeof cell === "object" ? cell.value : cell);
  };
  return [...rows].sort((a, b) => {
    const [x, y] = [size(a), size(b)];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
    return sign * (x - y);
  });
}
