/* Data of the charts. Charts of the same runs share a request, and after growth only those that changed are sent again. */
import { postFrames } from "../../api/frames";
import { type Fetched, type FetchOptions, hasGrown, Resource } from "../../api/resource.svelte";
import type { Baseline, ChartQuery, ChartsHead, Grew, RunChoice } from "../../api/types";
import type { GroupRequest } from "../../app/groups/lineSettings";
import type { ChartData } from "../../charts/lines/data";
import { readCharts } from "./parseCharts";

export interface ChartDataQuery extends Omit<ChartQuery, "key"> {
  runs: RunChoice;
  /** Draws groups of runs as one line each. */
  groups?: GroupRequest;
  baseline?: Baseline;
}

/** The part of a query that decides which lines there are. */
export type LinesQuery = Pick<ChartDataQuery, "runs" | "groups" | "baseline" | "tags" | "formulas" | "x">;

export const chartData = new Resource<ChartDataQuery, ChartData>({
  maxBatch: 32,
  maxCached: 96,
  fetch: fetchCharts,
  affects: isAffected,
  batchKey: ({ runs, groups, baseline }) => JSON.stringify([runs, groups, baseline]),
});

export async function fetchCharts(
  queries: ChartDataQuery[],
  { since, signal, preview }: FetchOptions,
): Promise<Fetched<ChartData>> {
  if (queries[0]!.groups) return (await import("./groupData")).fetchGroups(queries, { since, signal });
  const charts = queries.map(({ runs: _, groups: __, baseline: ___, ...chart }, i) => ({
    key: String(i),
    ...chart,
    ...(preview && { defer_density: true }),
  }));
  const { runs, baseline } = queries[0]!;
  const body = { runs, baseline, since, charts };
  const { head, tables } = await postFrames<ChartsHead>("scalars/charts", body, signal);
  const data = readCharts(head, tables, queries);
  if (!head.charts.some((chart) => "more" in chart)) return { cursor: head.cursor, data };
  // With thousands of runs, the colored lines are drawn first, and the density behind them when it is ready.
  preview?.(data);
  return fetchCharts(queries, { since, signal });
}

/** Returns whether a tag, one that a formula reads, or the scalar on the x axis grew in a selected run or the baseline. */
export function isAffected(
  event: Grew,
  { runs, baseline, tags, x }: LinesQuery,
  known?: Pick<ChartData, "reads">,
): boolean {
  const needed = [...tags, ...(known?.reads ?? []), ...(typeof x === "string" ? [] : [x.tag])];
  return Object.keys(event.runs).some(
    (run) =>
      (run === baseline?.run || isSelected(runs, run)) && needed.some((tag) => hasGrown(event, "scalars", run, tag)),
  );
}

function isSelected(runs: RunChoice, run: string): boolean {
  return "only" in runs ? runs.only.includes(run) : !runs.except.includes(run);
}

/** Returns whether two queries differ only in how the same lines look: in zoom, smoothing or width. */
export function hasSameLines(a: LinesQuery, b: LinesQuery): boolean {
  const lines = ({ runs, groups, baseline, tags, formulas, x }: LinesQuery): string =>
    JSON.stringify([runs, groups, baseline, tags, formulas, x]);
  return lines(a) === lines(b);
}
