/* Training and validation on one chart, for all charts at once. */
import { metricOf } from "./overlays";

/** Returns the validation tags by the training tag on whose chart they are drawn. */
export function splitPairs(tags: readonly string[]): Map<string, string[]> {
  const training = new Map<string, string>();
  for (const tag of tags) {
    const { metric, split } = metricOf(tag);
    if (split === "training" && metric && !training.has(metric)) training.set(metric, tag);
  }
  const pairs = new Map<string, string[]>();
  for (const tag of tags) {
    const { metric, split } = metricOf(tag);
    const partner = split === "validation" && training.get(metric);
    if (partner) pairs.set(partner, [...(pairs.get(partner) ?? []), tag]);
  }
  return pairs;
}
