/* Exact values of the lines of a chart: their points at one x, and their extremes. Cells of a downsampled line do not have them. */
import { postJson } from "../../api/client";
import { type Fetched, Resource } from "../../api/resource.svelte";
import type { AtChart, AtRequest, AtResponse, ExtremesResponse, LineExtremes } from "../../api/types";
import type { ChartData } from "../../charts/lines/data";
import type { Chart } from "./chart.svelte";
import { type ChartDataQuery, isAffected, type LinesQuery } from "./chartData";

/** Returns the nearest points to x of all lines, or with `near` only of the lines around a y. */
export async function pointsAt(
  chart: Chart,
  x: number,
  { near, signal }: { near?: AtRequest["near"]; signal?: AbortSignal } = {},
): Promise<AtChart> {
  const body: AtRequest = {
    runs: chart.query.runs,
    baseline: chart.query.baseline,
    x,
    near,
    charts: [{ key: "0", ...chart.lineQuery }],
  };
  const { charts } = await postJson<AtResponse>("scalars/at", body, signal);
  return charts[0]!;
}

/** Extremes by the key of their line. */
export const extremes = new Resource<
  LinesQuery & Pick<ChartDataQuery, "range"> & Pick<ChartData, "reads">,
  Map<string, LineExtremes>
>({
  maxBatch: 1,
  maxCached: 4,
  affects: (event, query) => isAffected(event, query, query),
  async fetch([query], { signal }): Promise<Fetched<Map<string, LineExtremes>>> {
    const { runs, baseline, reads: _, ...chart } = query!;
    const body = { runs, baseline, charts: [{ key: "0", ...chart }] };
    const { cursor, charts } = await postJson<ExtremesResponse>("scalars/extremes", body, signal);
    return { cursor, data: [new Map(charts[0]!.lines.map((line) => [lineKey(line), line]))] };
  },
});

export function lineKey({ run, tag }: { run: string; tag: string }): string {
  return `${run} ${tag}`;
}
