/** Small curves of single runs, for rows of tables. Runs of one tag share a request. */
import { postFrames, type Table } from "../api/frames";
import { hasGrown, Resource } from "../api/resource.svelte";
import type { ChartsHead } from "../api/types";

export interface CurveQuery {
  run: string;
  tag: string;
  /** Width of the drawing in pixels, if it is larger than that of a sparkline. */
  width?: number;
}

/** Points with finite values. Where several share a pixel, `y` has their mean, and `lo` and `hi` their range. */
export interface Curve {
  x: number[];
  y: number[];
  lo: number[];
  hi: number[];
}

const WIDTH_PX = 88;

export const curves = new Resource<CurveQuery, Curve>({
  maxBatch: 60,
  maxCached: 600,
  affects: (event, { run, tag }) => hasGrown(event, "scalars", run, tag),
  batchKey: ({ width }) => String(width),
  async fetch(queries, { signal }) {
    const runs = [...new Set(queries.map(({ run }) => run))];
    const tags = [...new Set(queries.map(({ tag }) => tag))];
    const charts = tags.map((tag) => ({
      key: tag,
      tags: [tag],
      x: "step",
      range: null,
      width: queries[0]!.width ?? WIDTH_PX,
      smoothing: { method: "none", weight: 0 },
      max_lines: runs.length,
    }));
    const { head, tables } = await postFrames<ChartsHead>("scalars/charts", { runs: { only: runs }, charts }, signal);
    return { cursor: head.cursor, data: queries.map((query) => curveOf(query, head, tables)) };
  },
});

function curveOf({ run, tag }: CurveQuery, head: ChartsHead, tables: Table[]): Curve {
  const at = head.charts.findIndex(({ key }) => key === tag);
  const chart = head.charts[at];
  // Each chart has two tables: the density of lines beyond `max_lines` is never needed.
  const [grid, cells] = [tables[2 * at]?.x as Float64Array, tables[2 * at + 1] as Record<string, Float32Array>];
  const line = chart && "lines" in chart ? chart.lines.findIndex((line) => line.run === run) : -1;
  if (!chart || !("cells" in chart) || line < 0) return { x: [], y: [], lo: [], hi: [] };
  const column = (name: string): Float32Array => cells[name]!.subarray(line * chart.cells, (line + 1) * chart.cells);
  return finitePoints(grid, column("v"), chart.exact ? null : [column("lo"), column("hi")]);
}

function finitePoints(grid: Float64Array, values: Float32Array, range: [Float32Array, Float32Array] | null): Curve {
  const rows = [...values.keys()].filter((row) => Number.isFinite(values[row]));
  const at = (column: Float32Array): number[] => rows.map((row) => column[row]!);
  const [lo, hi] = range ?? [values, values];
  return { x: rows.map((row) => grid[row]!), y: at(values), lo: at(lo), hi: at(hi) };
}

/** Returns the path of a curve within a box, and where its best point is. */
export function curvePath(
  { x, y }: Pick<Curve, "x" | "y">,
  { width, height, lastX }: { width: number; height: number; lastX: number },
  best: "min" | "max" | null,
): { path: string; best: [number, number] | null } {
  if (x.length === 0) return { path: "", best: null };
  const [lo, hi] = [Math.min(...y), Math.max(...y)];
  const first = x[0]!;
  const across = Math.max(lastX, x.at(-1)!) - first;
  const left = (i: number): number => 2 + (across ? ((x[i]! - first) / across) * (width - 4) : 0);
  const top = (i: number): number =>
    height - 3 - (hi > lo ? ((y[i]! - lo) / (hi - lo)) * (height - 6) : (height - 6) / 2);
  const path = x.map((_, i) => `${i ? "L" : "M"}${left(i).toFixed(1)} ${top(i).toFixed(1)}`).join("");
  // A single point is a dot.
  if (x.length === 1) return { path, best: [left(0), top(0)] };
  const at = best === null ? -1 : y.indexOf(best === "min" ? lo : hi);
  return { path, best: at < 0 ? null : [left(at), top(at)] };
}
