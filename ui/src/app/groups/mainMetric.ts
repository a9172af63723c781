/* The metric that tells best how good a run is. */
import { rankOf } from "../mainMetrics";

const EVALUATION = /(^|[^a-z])(val|valid|validation|eval|evaluation|test|dev|heldout)([^a-z]|$)/i;

/** Returns a loss of the validation set, or else of the training set, or else the first of the main metrics. */
export function mainMetric(tags: readonly string[]): string | undefined {
  const order = (tag: string): number => 2 * rankOf(tag) + Number(!EVALUATION.test(tag));
  return [...tags].sort((a, b) => order(a) - order(b) || a.length - b.length)[0];
}
