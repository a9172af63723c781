/* The tensors of a model by the part they belong to: what stands before and with the layer's number, as in `encoder.layer.3`. */

/** Fewer tensors than this need no groups. */
const FEW = 12;
/** Groups of fewer than this on average part more than they join. */
const LEAST_MEAN = 3;

export interface TensorGroup {
  /** What its tags begin with; empty where they are not grouped. */
  prefix: string;
  tags: string[];
}

export function groupTensors(tags: string[]): TensorGroup[] {
  const groups = new Map<string, string[]>();
  for (const tag of tags) groups.set(partOf(tag), [...(groups.get(partOf(tag)) ?? []), tag]);
  if (tags.length < FEW || tags.length / groups.size < LEAST_MEAN) return [{ prefix: "", tags }];
  return [...groups].map(([prefix, tags]) => ({ prefix, tags }));
}

/** `bert.encoder.layer.3.output.bias` → `bert.encoder.layer.3.`; without a number all but the last two names, or all but the last. */
function partOf(tag: string): string {
  const names = tag.split(/(?<=[./])/);
  const number = names.findIndex((name) => /^\d+[./]$/.test(name));
  const kept = number >= 0 ? number + 1 : Math.max(Math.min(1, names.length - 1), names.length - 2);
  return names.slice(0, kept).join("");
}
