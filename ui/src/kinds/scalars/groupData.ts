/* Charts of groups: each group is one line with a band. Their runs come in the same charts, if they are to be drawn too. */
import { postFrames, type Table } from "../../api/frames";
import type { Fetched, FetchOptions } from "../../api/resource.svelte";
import type { ChartsHead, GroupChartHead, GroupChartsHead, GroupLine } from "../../api/types";
import type { ChartData, Line } from "../../charts/lines/data";
import type { ChartDataQuery } from "./chartData";
import { readCharts } from "./parseCharts";

/** With more runs than this, the others are drawn as a density. */
const MAX_MEMBERS = 60;
/** Cells for the few steps around a place. */
const AT_WIDTH = 64;

export async function fetchGroups(
  queries: ChartDataQuery[],
  { since, signal }: FetchOptions,
): Promise<Fetched<ChartData>> {
  const { groups, runs, baseline } = queries[0]!;
  const { withMembers, ...grouping } = groups!;
  const charts = queries.map(({ tags, formulas, range, width, smoothing, best }, i) => ({
    key: String(i),
    tags,
    formulas,
    range,
    width,
    smoothing,
    best,
  }));
  const members = charts.map((chart) => ({ ...chart, max_lines: MAX_MEMBERS }));
  const [lines, own] = await Promise.all([
    postFrames<GroupChartsHead>("scalars/groups", { ...grouping, baseline, since, charts }, signal),
    withMembers ? postFrames<ChartsHead>("scalars/charts", { runs, baseline, since, charts: members }, signal) : null,
  ]);
  const data = readGroupCharts(lines.head, lines.tables, queries);
  if (!own) return { cursor: lines.head.cursor, data };
  const ownData = readCharts(own.head, own.tables, queries);
  // A run that grew between the two requests has changed in only one of them.
  if (data.some((chart, i) => (chart === undefined) !== (ownData[i] === undefined)))
    return fetchGroups(queries, { signal });
  return {
    cursor: Math.min(lines.head.cursor, own.head.cursor),
    data: data.map((chart, i) => chart && { ...chart, members: ownData[i] }),
  };
}

/** Returns the groups around a step, not downsampled. */
export async function groupsAt(query: ChartDataQuery, step: number, signal: AbortSignal): Promise<ChartData | null> {
  const { withMembers: _, ...grouping } = query.groups!;
  const { tags, formulas, smoothing, baseline } = query;
  const range: [number, number] = [step - 0.5, step + 0.5];
  const charts = [{ key: "0", tags, formulas, range, width: AT_WIDTH, smoothing }];
  const { head, tables } = await postFrames<GroupChartsHead>(
    "scalars/groups",
    { ...grouping, baseline, charts },
    signal,
  );
  return readGroupCharts(head, tables, [{ tags, formulas, range }])[0] ?? null;
}

/** Returns the charts in the order of their queries. Undefined if a chart has not changed. */
export function readGroupCharts(
  { charts }: GroupChartsHead,
  tables: Table[],
  queries: Pick<ChartDataQuery, "range" | "tags" | "formulas">[],
): (ChartData | undefined)[] {
  let at = 0;
  return charts.map((head, i) => {
    if ("unchanged" in head) return undefined;
    return readGroupChart(head, tables.slice(at, (at += 2)), queries[i]!);
  });
}

function readGroupChart(
  head: GroupChartHead,
  [grid, cells]: Table[],
  { range, tags, formulas = [] }: Pick<ChartDataQuery, "range" | "tags" | "formulas">,
): ChartData {
  // The bands of several tags would hide each other.
  const lines = head.lines.map((line, i) => readLine(line, i, head.cells, cells!, tags.length + formulas.length === 1));
  return {
    x: grid!.x as Float64Array,
    span: head.x,
    whole: range === null,
    exact: head.exact,
    points: head.lines.reduce((sum, line) => sum + line.points, 0),
    drawn: lines.reduce((sum, { raw }) => sum + raw.reduce((count, value) => count + Number(value === value), 0), 0),
    lines,
    problems: head.problems,
    reads: head.reads,
  };
}

function readLine(line: GroupLine, i: number, size: number, cells: Table, hasBand: boolean): Line {
  const own = (name: string): Float32Array => (cells[name] as Float32Array).subarray(i * size, (i + 1) * size);
  const raw = own("v");
  return {
    key: `${line.group} ${line.tag}`,
    run: line.group,
    tag: line.tag,
    points: line.points,
    last: { step: line.last.step, wall: NaN, value: Number(line.last.value) },
    raw,
    smooth: line.smoothed ? own("s") : raw,
    ...(hasBand && { lo: own("lo"), hi: own("hi") }),
    marks: [],
    restarts: [],
    attempt: false,
    best: line.best,
    group: {
      runs: line.runs.length,
      n: own("n"),
      min: line.min,
      max: line.max,
      changes: line.changes,
      nonFinite: line.non_finite,
    },
  };
}
