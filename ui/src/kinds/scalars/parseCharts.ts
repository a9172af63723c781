/* Parser of the response for charts. A column holds all lines one after the other, and each line is a view of it without a copy. */
import type { Table } from "../../api/frames";
import type { ChartHead, ChartLine, ChartQuery, ChartsHead } from "../../api/types";
import type { ChartData, Density, Line } from "../../charts/lines/data";

/** Returns the charts in the order of their queries. Undefined if a chart has not changed. */
export function readCharts(
  { charts }: ChartsHead,
  tables: Table[],
  queries: Pick<ChartQuery, "range">[],
): (ChartData | undefined)[] {
  let at = 0;
  return charts.map((head, i) => {
    if ("unchanged" in head) return undefined;
    const own = tables.slice(at, (at += head.density ? 4 : 2));
    return readChart(head, own, queries[i]!.range === null);
  });
}

function readChart(head: ChartHead, [grid, cells, ...density]: Table[], whole: boolean): ChartData {
  const x = grid!.x as Float64Array;
  const columns = {
    v: cells!.v as Float32Array,
    s: cells!.s as Float32Array | undefined,
    lo: cells!.lo as Float32Array | undefined,
    hi: cells!.hi as Float32Array | undefined,
  };
  return {
    x,
    span: head.x,
    whole,
    exact: head.exact,
    points: head.points,
    drawn: head.drawn,
    lines: head.lines.map((line, i) => readLine(line, i, head.cells, columns)),
    density: head.density && readDensity(head, density),
    problems: head.problems,
    reads: head.reads,
  };
}

interface Columns {
  v: Float32Array;
  s?: Float32Array;
  lo?: Float32Array;
  hi?: Float32Array;
}

function readLine(line: ChartLine, i: number, cells: number, columns: Columns): Line {
  const own = (values: Float32Array): Float32Array => values.subarray(i * cells, (i + 1) * cells);
  const raw = own(columns.v);
  return {
    key: `${line.run} ${line.tag}${line.hidden ? ` ${i}` : ""}`,
    run: line.run,
    tag: line.tag,
    points: line.points,
    last: { step: line.last.step, wall: Number(line.last.wall), value: Number(line.last.value) },
    raw,
    smooth: columns.s && line.smoothed ? own(columns.s) : raw,
    lo: columns.lo && own(columns.lo),
    hi: columns.hi && own(columns.hi),
    marks: line.marks,
    restarts: line.restarts,
    attempt: line.hidden ?? false,
    best: line.best,
  };
}

function readDensity(head: ChartHead, [image, extremes]: Table[]): Density {
  const { width, height, y, lines, scale } = head.density!;
  const [lo, hi] = [extremes!.lo as Float32Array, extremes!.hi as Float32Array];
  return { width, height, y, lines, scale, x: head.x, count: image!.count as Uint16Array, lo, hi };
}
