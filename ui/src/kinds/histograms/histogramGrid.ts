/* What the server knows of one tensor over its steps: columns of counts on one value axis, and nine percentiles for each column. */
import type { Table } from "../../api/frames";
import type { Span } from "../../charts/box";

export type Shape = "ridge" | "overlay" | "heat" | "bands";
export type HistogramX = "step" | "relative" | "wall";

/** Drawn with the steps along the bottom. */
export const isFlat = (shape: Shape): boolean => shape === "heat" || shape === "bands";

export interface CardHead {
  key: string;
  steps: number;
  skipped: number;
  columns: number;
  rows: number;
  values: [number, number];
}

export interface HistogramGrid extends CardHead {
  first: Float64Array;
  last: Float64Array;
  wall: Float64Array;
  /** How many logged histograms a column stands for. */
  merged: Float64Array;
  /** From the least value to the greatest; the median is the fifth. Empty where they were not asked for. */
  bands: Float64Array[];
  /** Column after column, from the lowest value up. */
  counts: Float32Array;
  /** The largest count. */
  peak: number;
}

export function parseHistogramGrid(head: CardHead, columns: Table, cells: Table): HistogramGrid {
  const column = (name: string): Float64Array => columns[name] as Float64Array;
  const counts = cells.count as Float32Array;
  return {
    ...head,
    first: column("first"),
    last: column("last"),
    wall: column("wall"),
    merged: column("merged"),
    bands: "b0" in columns ? Array.from({ length: 9 }, (_, i) => column(`b${i}`)) : [],
    counts,
    peak: counts.reduce((most, count) => Math.max(most, count), 0),
  };
}

/** What these span together along the x axis: a heat map's columns have a width, ridges and bands stand where their columns begin. */
export function timeSpan(grids: HistogramGrid[], shape: Shape, x: HistogramX): Span {
  const ends = grids.map((grid) => {
    const edges = columnEdges(grid, x);
    return [edges[0]!, edges[shape === "heat" ? grid.columns : grid.columns - 1]!] as const;
  });
  return [Math.min(...ends.map(([from]) => from)), Math.max(...ends.map(([, to]) => to))];
}

/** Where each column begins on the x axis, and at the end where the last one ends. */
export function columnEdges(grid: HistogramGrid, x: HistogramX): Float64Array {
  const n = grid.columns;
  const edges = new Float64Array(n + 1);
  for (let i = 0; i < n; i++)
    edges[i] = x === "step" ? grid.first[i]! : grid.wall[i]! - (x === "relative" ? grid.wall[0]! : 0);
  const usual = n > 1 ? (edges[n - 1]! - edges[0]!) / (n - 1) : 1;
  edges[n] = edges[n - 1]! + (usual || 1);
  return edges;
}

/** The column that stands for a step, or null where there is none. */
export function columnAt(grid: HistogramGrid, step: number): number | null {
  let found: number | null = null;
  for (let i = 0; i < grid.columns && grid.first[i]! <= step; i++) found = i;
  return found;
}

export function valueAt(grid: HistogramGrid, row: number): number {
  const [lo, hi] = grid.values;
  return lo + ((hi - lo) * row) / grid.rows;
}

/** The row that holds a value, or the outermost one. */
export function rowAt({ values: [lo, hi], rows }: HistogramGrid, value: number): number {
  return Math.min(rows - 1, Math.max(0, Math.floor(((value - lo) / (hi - lo)) * rows)));
}
