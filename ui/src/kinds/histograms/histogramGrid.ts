/** Histograms of one tensor over its steps: columns of counts on one value axis, and nine percentiles per column. */
import type { Table } from "../../api/frames";
import type { CardHead } from "../../api/types";
import type { Span } from "../../charts/box";

export type { CardHead };

export type Shape = "ridge" | "overlay" | "heat" | "bands";
export type HistogramX = "step" | "relative" | "wall";

/** Whether the steps are on the x axis. */
export const isFlat = (shape: Shape): boolean => shape === "heat" || shape === "bands";

export interface HistogramGrid extends CardHead {
  first: Float64Array;
  last: Float64Array;
  wall: Float64Array;
  /** Number of logged histograms in each column. */
  merged: Float64Array;
  /** From the minimum to the maximum. The median is the fifth. Empty if not requested. */
  bands: Float64Array[];
  /** Column by column, each from the lowest value up. */
  counts: Float32Array;
  /** Maximum count. */
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

/** Returns the common range of the time axis. Columns of a heatmap have a width. Ridges and bands are at the start of their columns. */
export function timeSpan(grids: HistogramGrid[], shape: Shape, x: HistogramX): Span {
  const ends = grids.map((grid) => {
    const edges = columnEdges(grid, x);
    return [edges[0]!, edges[shape === "heat" ? grid.columns : grid.columns - 1]!] as const;
  });
  return [Math.min(...ends.map(([from]) => from)), Math.max(...ends.map(([, to]) => to))];
}

/** Returns the start of each column on the time axis, followed by the end of the last one. */
export function columnEdges(grid: HistogramGrid, x: HistogramX): Float64Array {
  const n = grid.columns;
  const edges = new Float64Array(n + 1);
  for (let i = 0; i < n; i++)
    edges[i] = x === "step" ? grid.first[i]! : grid.wall[i]! - (x === "relative" ? grid.wall[0]! : 0);
  const usual = n > 1 ? (edges[n - 1]! - edges[0]!) / (n - 1) : 1;
  edges[n] = edges[n - 1]! + (usual || 1);
  return edges;
}

/** Returns the column of a step, or null before the first. */
export function columnAt(grid: HistogramGrid, step: number): number | null {
  let found: number | null = null;
  for (let i = 0; i < grid.columns && grid.first[i]! <= step; i++) found = i;
  return found;
}

/** Returns the value at the lower edge of a row. */
export function valueAt(grid: HistogramGrid, row: number): number {
  const [lo, hi] = grid.values;
  return lo + ((hi - lo) * row) / grid.rows;
}

/** Returns the row of a value. Values outside the grid are in the first or last row. */
export function rowAt({ values: [lo, hi], rows }: HistogramGrid, value: number): number {
  return Math.min(rows - 1, Math.max(0, Math.floor(((value - lo) / (hi - lo)) * rows)));
}
