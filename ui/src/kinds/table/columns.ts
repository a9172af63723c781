/** Columns of the table: their ids, which of them the view chooses, titles, widths, and texts of cells. */
import type { FieldRow } from "../../api/types";
import { duration, integer, number, size } from "../../base/format";
import { type Cell, type Cells, type Direction, settingLabel } from "../cells";
import { type Aggregate, hyperparameterOf, metricField, type MetricField, metricOf } from "../fieldNames";

export interface Column {
  /** Identifies the column in the URL: the field, or the field of a metric after `curve:`. */
  id: string;
  field: string;
  /** `curve` draws the metric over its steps. */
  shows: "values" | "curve";
  title: string;
  metric: MetricField | null;
  /** `number`, `text`, `time` and so on; empty until the column has arrived. */
  type: string;
  best: Direction | null;
  cells: Cells;
  /** Why there are no values. */
  problem: string | null;
}

const CURVE = "curve:";
const MAX_METRICS = 3;
const MAX_HYPERPARAMETERS = 100;
const EVALUATION = /^(eval|val|valid|validation|test|dev)[_/-]|[_/-](eval|val|test)([_/-]|$)/i;
/** Names of runs and folders differ everywhere and say nothing. */
const MANY_TEXTS = 20;

export const curveId = (tag: string): string => CURVE + metricField("last", tag);
export const fieldOf = (id: string): string => (id.startsWith(CURVE) ? id.slice(CURVE.length) : id);
export const isCurve = (id: string): boolean => id.startsWith(CURVE);

const RUN_TITLES: Record<string, string> = {
  start: "started",
  last_step: "last step",
  size: "size",
  corrupt_records: "corrupt records",
};

export function titleOf(id: string): string {
  const field = fieldOf(id);
  const metric = metricOf(field);
  return metric?.tag ?? hyperparameterOf(field) ?? RUN_TITLES[field] ?? field;
}

const AGGREGATE_TITLES: Record<Aggregate, string> = {
  last: "last",
  first: "first",
  min: "min",
  max: "max",
  mean: "mean",
  argmin: "step of min",
  argmax: "step of max",
  count: "points",
  at: "at step",
};

export function aggregateTitle({ aggregate, step }: MetricField): string {
  return aggregate === "at" ? `at step ${step}` : AGGREGATE_TITLES[aggregate];
}

/** Returns the ids of the columns to start with: the best values of the main metrics, a curve, the hyperparameters, and the state. */
export function usualColumns(fields: readonly FieldRow[], hasTags: boolean): string[] {
  const metrics = mainMetrics(fields);
  const values = metrics.map(({ name, best }) => metricField(best ?? "last", name));
  const curves = metrics.slice(0, 1).map(({ name }) => curveId(name));
  const hparams = fields.filter(({ source }) => source === "hp").slice(0, MAX_HYPERPARAMETERS);
  const run = ["last_step", "duration", "state", ...(hasTags ? ["tags"] : [])];
  return [...values, ...curves, ...hparams.map(({ field }) => field), ...run];
}

function mainMetrics(fields: readonly FieldRow[]): FieldRow[] {
  const metrics = fields.filter(({ source }) => source === "metric");
  const directed = metrics.filter(({ best }) => best);
  const isEvaluation = ({ name }: FieldRow): number => Number(EVALUATION.test(name));
  return (directed.length ? directed : metrics)
    .toSorted((a, b) => isEvaluation(b) - isEvaluation(a) || b.runs - a.runs)
    .slice(0, MAX_METRICS);
}

/** Whether values are words that say nothing because nearly every run has its own. */
export function isName({ type }: Pick<Column, "type">, values: number, rows: number): boolean {
  return type === "text" && values > MANY_TEXTS && 2 * values > rows;
}

const WIDTHS: Record<string, number> = { time: 132, duration: 96, size: 88, boolean: 72, text: 132, texts: 148 };
const [BAR_PX, CURVE_PX, NUMBER_PX, WIDEST_PX] = [176, 116, 92, 220];
const LETTER_PX = 7.2;
const HEAD_PX = 52;

export const hasBar = (column: Column): boolean => column.shows === "values" && isValue(column.metric);

/** Whether a metric's field is one of its values, and not a step or a count. */
export const isValue = (metric: MetricField | null): boolean =>
  metric !== null && !["argmin", "argmax", "count"].includes(metric.aggregate);

export const isNumeric = ({ type, shows }: Column): boolean =>
  shows === "values" && ["number", "time", "duration", "size", ""].includes(type);

export function widthOf(column: Column): number {
  const head = Math.min(WIDEST_PX, Math.ceil(column.title.length * LETTER_PX) + HEAD_PX);
  if (column.shows === "curve") return Math.max(CURVE_PX, head);
  if (hasBar(column)) return Math.max(BAR_PX, head);
  const isState = column.field === "state";
  return Math.max(isState ? 108 : (WIDTHS[column.type] ?? NUMBER_PX), head);
}

const dates = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hour12: false,
});

/** A cell in full; empty if the run has no value. */
export function textOf({ type, metric }: Pick<Column, "type" | "metric">, value: Cell): string {
  if (value === null) return "";
  if (typeof value !== "number") return String(value);
  if (type === "time") return Number.isFinite(value) ? dates.format(value * 1000) : "";
  if (type === "duration") return duration(value);
  if (type === "size") return size(value);
  if (metric) return isValue(metric) ? number(value) : Number.isFinite(value) ? integer(value) : number(value);
  return settingLabel(value);
}
