/* The server's tables as what a chart draws. Columns hold all lines one after the other: each line is a view into them, not a copy. */
import type { Table } from "../../api/frames";
import type { ChartHead, ChartLine, UnchangedChart } from "../../api/types";
import type { ChartData, Density, Line } from "../../charts/lines/data";

/** How many tables a chart's head says it has. */
export function tableCount(head: ChartHead | UnchangedChart): number {
  return "unchanged" in head ? 0 : head.density ? 3 : 2;
}

/** `range` is what was asked for: only an answer to the whole tells how far the data reaches. */
export function readChart(
  head: ChartHead,
  [grid, cells, density]: Table[],
  range: readonly [number, number] | null,
): ChartData {
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
    whole: range === null,
    exact: head.exact,
    points: head.points,
    drawn: head.drawn,
    lines: head.lines.map((line, i) => readLine(line, i, head.cells, columns)),
    density: head.density && density ? readDensity(head, density) : undefined,
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
    smooth: columns.s ? own(columns.s) : raw,
    lo: columns.lo && own(columns.lo),
    hi: columns.hi && own(columns.hi),
    marks: line.marks,
    restarts: line.restarts,
    attempt: line.hidden ?? false,
  };
}

function readDensity(head: ChartHead, table: Table): Density {
  const { width, height, y, lines, scale } = head.density!;
  return { width, height, y, lines, scale, x: head.x, count: table.count as Uint16Array };
}
