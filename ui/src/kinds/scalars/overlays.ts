/* Which tags belong on one card: the same metric, measured in training and in validation. */

const TRAIN = /^(train|training|tr)$/;
const HELD_OUT = /^(val|valid|validation|eval|evaluation|test|dev|heldout)$/;

/** `eval/val_loss`, `loss/train`, `train_loss`, `validation/loss` → the metric and the side. */
export function metricOf(tag: string): { metric: string; side: "train" | "held out" | null } {
  let side: "train" | "held out" | null = null;
  const words = tag
    .toLowerCase()
    .split(/[/_.-]/)
    .filter((word) => {
      if (TRAIN.test(word)) side ??= "train";
      else if (HELD_OUT.test(word)) side = "held out";
      else return true;
      return false;
    });
  return { metric: words.join("/"), side };
}

/** The tags that measure the same on the other side: what "overlay train and validation" adds. */
export function counterparts(tag: string, tags: string[]): string[] {
  const own = metricOf(tag);
  if (own.metric === "") return [];
  return tags.filter((other) => {
    if (other === tag) return false;
    const its = metricOf(other);
    return its.metric === own.metric && its.side !== own.side;
  });
}

/** The tags that end in the same words, or stand in the same group: likely of the same unit. */
export function relatives(tag: string, tags: string[]): string[] {
  const same = new Set(counterparts(tag, tags));
  const last = metricOf(tag).metric.split("/").at(-1)!;
  return tags.filter(
    (other) => other !== tag && !same.has(other) && last !== "" && metricOf(other).metric.split("/").includes(last),
  );
}

/** Dashes are the second channel: one for each tag of a card, the first is solid. */
export const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

export function dashOf(index: number): readonly number[] {
  return DASHES[Math.max(0, index) % DASHES.length]!;
}
