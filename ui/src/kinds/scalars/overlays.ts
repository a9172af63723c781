/* Tags that belong on one chart: the same metric of the training and the validation set. */

const TRAINING = /^(train|training|tr)$/;
const VALIDATION = /^(val|valid|validation|eval|evaluation|test|dev|heldout)$/;

/** Splits a tag such as `eval/val_loss`, `loss/train` or `train_loss` into the metric and the split of the data. */
export function metricOf(tag: string): { metric: string; split: "training" | "validation" | null } {
  let split: "training" | "validation" | null = null;
  const words = tag
    .toLowerCase()
    .split(/[/_.-]/)
    .filter((word) => {
      if (TRAINING.test(word)) split ??= "training";
      else if (VALIDATION.test(word)) split = "validation";
      else return true;
      return false;
    });
  return { metric: words.join("/"), split };
}

/** Returns the tags of the same metric on another split. */
export function counterparts(tag: string, tags: string[]): string[] {
  const own = metricOf(tag);
  if (own.metric === "") return [];
  return tags.filter((other) => {
    if (other === tag) return false;
    const its = metricOf(other);
    return its.metric === own.metric && its.split !== own.split;
  });
}

/** Returns the tags that share the last word of the metric. They probably have the same unit. */
export function relatives(tag: string, tags: string[]): string[] {
  const same = new Set(counterparts(tag, tags));
  const last = metricOf(tag).metric.split("/").at(-1)!;
  return tags.filter(
    (other) => other !== tag && !same.has(other) && last !== "" && metricOf(other).metric.split("/").includes(last),
  );
}
