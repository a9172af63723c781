/** Names of facts as queries spell them: `hp.lr`, `state`, `min(eval/loss)`, ``at(`odd tag`, 100)``. */

export const AGGREGATES = ["last", "min", "max", "mean", "first", "argmin", "argmax", "count"] as const;
export type Aggregate = (typeof AGGREGATES)[number] | "at";

export interface MetricField {
  aggregate: Aggregate;
  tag: string;
  /** The step of `at`. */
  step?: string;
}

const METRIC =
  /^(last|min|max|mean|first|argmin|argmax|count|at)\((?:`((?:[^`\\]|\\.)*)`|([^\s()<>=!~,"'`]+))(?:, *([^)]+))?\)$/s;

/** The metric that a field is about, or null if it is not about one. */
export function metricOf(field: string): MetricField | null {
  const [, aggregate, quoted, plain, step] = METRIC.exec(field) ?? [];
  if (aggregate === undefined) return null;
  const tag = quoted === undefined ? plain! : quoted.replace(/\\(.)/gs, "$1");
  return { aggregate: aggregate as Aggregate, tag, ...(step === undefined ? {} : { step }) };
}

export function metricField(aggregate: Aggregate, tag: string, step?: string): string {
  const name = /^[^\s()<>=!~,"'`]+$/.test(tag) ? tag : `\`${tag.replace(/[\\`]/g, "\\$&")}\``;
  return `${aggregate}(${name}${step === undefined ? "" : `, ${step}`})`;
}

/** The name of a hyperparameter that a field is about, or null. */
export function hyperparameterOf(field: string): string | null {
  if (field.startsWith("hp.")) return field.slice(3);
  const [, quoted] = /^`hp\.((?:[^`\\]|\\.)*)`$/s.exec(field) ?? [];
  return quoted === undefined ? null : quoted.replace(/\\(.)/gs, "$1");
}
