/** Trials with their hyperparameters and metrics, as columns. */
import { postFrames, type Table } from "../../api/frames";
import { Resource } from "../../api/resource.svelte";
import type { TrialHParam, TrialMetric, TrialsHead, TrialSession } from "../../api/types";
import { type Cell, type Cells, cellsOf, type Direction } from "../cells";

export interface MetricRef {
  group: string;
  tag: string;
}

/** Which value of a metric counts. */
export type MetricValue = "last" | "min" | "max" | { at_best: MetricRef; direction: Direction };

export interface Column {
  /** Identifies the column in the URL. */
  id: string;
  title: string;
  description: string;
  /** Set for metrics. */
  metric: MetricRef | null;
  best: Direction | null;
  isConstant: boolean;
  isNumber: boolean;
  /** The values that were declared. */
  choices: Cell[] | null;
  interval: readonly [number, number] | null;
  cells: Cells;
}

export interface Trials {
  runs: string[];
  sessions: (TrialSession | null)[];
  hparams: Column[];
  metrics: Column[];
  /** Every metric there is, also those without a column. */
  allMetrics: TrialMetric[];
}

export interface TrialsQuery {
  metrics: MetricRef[] | null;
  value: MetricValue;
}

export const trialsTable = new Resource<TrialsQuery, Trials>({
  maxBatch: 1,
  maxCached: 4,
  affects: (event) => Object.values(event.runs).some(({ kinds }) => "scalars" in kinds || "hparams" in kinds),
  async fetch([query], { signal }) {
    const { metrics, value } = query!;
    const body = metrics ? { metrics, value } : { value };
    const { head, tables } = await postFrames<TrialsHead>("hparams/table", body, signal);
    return { cursor: head.cursor, data: [parseTrials(head, tables)] };
  },
});

export function parseTrials(head: TrialsHead, tables: Table[]): Trials {
  const size = head.runs.length;
  const metrics = head.shown.map((at) => head.metrics[at]!);
  return {
    runs: head.runs,
    sessions: head.sessions,
    hparams: head.hparams.map((hparam, i) => hparamColumn(hparam, tables[i]!, size)),
    metrics: metrics.map((metric, i) => metricColumn(metric, tables[head.hparams.length + i]!, size)),
    allMetrics: head.metrics,
  };
}

function hparamColumn(hparam: TrialHParam, table: Table, size: number): Column {
  return {
    id: hparam.field,
    title: hparam.display ?? hparam.name,
    description: hparam.description ?? "",
    metric: null,
    best: null,
    isConstant: hparam.constant,
    isNumber: hparam.type === "number",
    choices: hparam.choices ?? null,
    interval: hparam.interval ? [Number(hparam.interval[0]), Number(hparam.interval[1])] : null,
    cells: cellsOf(table, size, hparam.texts ?? []),
  };
}

function metricColumn(metric: TrialMetric, table: Table, size: number): Column {
  return {
    id: metricId(metric),
    title: metricTitle(metric),
    description: metric.description ?? "",
    metric: { group: metric.group, tag: metric.tag },
    best: metric.best ?? null,
    isConstant: false,
    isNumber: true,
    choices: null,
    interval: null,
    cells: cellsOf(table, size, []),
  };
}

export const metricId = ({ group, tag }: MetricRef): string => `metric:${group}:${tag}`;

/** The reference that an id names, or null if it is not one of a metric. */
export function metricOfId(id: string): MetricRef | null {
  const [, group, tag] = /^metric:([^:]*):(.*)$/s.exec(id) ?? [];
  return tag === undefined ? null : { group: group!, tag };
}

export const metricTitle = ({ group, tag, display }: TrialMetric): string =>
  display ?? (group && group !== "." ? `${group}/${tag}` : tag);
