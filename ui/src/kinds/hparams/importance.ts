/** Importance of hyperparameters for a metric, and what it says in words. */
import { postJson } from "../../api/client";
import { Resource } from "../../api/resource.svelte";
import type { ImportanceResponse, ImportanceRow } from "../../api/types";
import { counted } from "../../base/format";
import type { Direction } from "../cells";
import type { MetricRef, MetricValue } from "./trials";

export interface ImportanceQuery {
  metric: MetricRef;
  direction: Direction;
  value: MetricValue;
  /** Undefined for all runs. */
  runs?: { only: string[] };
}

export const importances = new Resource<ImportanceQuery, ImportanceResponse>({
  maxBatch: 1,
  maxCached: 8,
  affects: (event) => Object.values(event.runs).some(({ kinds }) => "scalars" in kinds || "hparams" in kinds),
  async fetch([query], { signal }) {
    const data = await postJson<ImportanceResponse>("hparams/importance", query, signal);
    return { cursor: data.cursor, data: [data] };
  },
});

export const percent = (share: number): string => `${Math.round(share * 100)}\u2009%`;

export const isNoise = ({ share, noise }: ImportanceRow): boolean => share <= noise;

/** The result in one sentence. `titles` are the names of hyperparameters on screen. */
export function importanceText({ runs, needed, rows }: ImportanceResponse, metric: string): string {
  if (runs < needed)
    return `Importance needs ${needed} runs with ${metric}. ${runs === 1 ? "One run has it." : `${runs} runs have it.`}`;
  const found = rows.filter((row) => !isNoise(row));
  if (!rows.length) return `No hyperparameter differs in ${needed} runs with ${metric}.`;
  if (!found.length) return `No hyperparameter stands out from noise for ${metric} over ${counted(runs, "run")}.`;
  const first = found[0]!;
  return `${first.name} explains ${percent(first.share)} of ${metric} over ${counted(runs, "run")}.`;
}

/** What a rank correlation means, or nothing if it is weak. */
export function correlationText({ name, correlation }: ImportanceRow, metric: string): string {
  if (correlation === null || Math.abs(correlation) < 0.3) return "";
  return `Larger ${name} goes with ${correlation > 0 ? "larger" : "smaller"} ${metric}.`;
}
