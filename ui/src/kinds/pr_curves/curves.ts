/* PR curves by run, tag and step, and their measures over all steps. */
import { unlessMissing } from "../../api/batches";
import { postFrames } from "../../api/frames";
import { hasGrown, Resource } from "../../api/resource.svelte";
import type { PrCurvesHead, PrHistoriesHead } from "../../api/types";
import type { PrCurve } from "./curve";
import type { Measure } from "./settings";

export interface CurveQuery {
  run: string;
  tag: string;
  step: number;
}

export interface HistoryQuery {
  run: string;
  tag: string;
  threshold: number;
}

export type History = Record<Measure | "step", Float64Array>;

export const curves = new Resource<CurveQuery, PrCurve>({
  maxBatch: 100,
  maxCached: 2000,
  async fetch(queries, { signal }) {
    const { head, tables } = await postFrames<PrCurvesHead>("pr_curves/curves", { curves: queries }, signal);
    const rest = tables.values();
    const data = head.curves.map((curve) =>
      unlessMissing(curve, (found) => ({ ...found, ...rest.next().value }) as PrCurve),
    );
    return { cursor: head.cursor, data };
  },
});

export const histories = new Resource<HistoryQuery, History>({
  maxBatch: 20,
  maxCached: 100,
  affects: (event, { run, tag }) => hasGrown(event, "pr_curves", run, tag),
  batchKey: ({ threshold }) => String(threshold),
  async fetch(queries, { signal }) {
    const { threshold } = queries[0]!;
    const body = { series: queries.map(({ run, tag }) => ({ run, tag })), threshold };
    const { head, tables } = await postFrames<PrHistoriesHead>("pr_curves/history", body, signal);
    const rest = tables.values();
    const data = head.series.map((one) => unlessMissing(one, () => rest.next().value as History));
    return { cursor: head.cursor, data };
  },
});
