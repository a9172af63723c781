/* Groups the tensors of a model by layer: by the part of the tag up to the number, as in `encoder.layer.3`. */

/** Fewer tensors are not grouped. */
const FEW = 12;
/** Smaller groups on average are not worth it. */
const MIN_MEAN_SIZE = 3;

export interface TensorGroup {
  /** Common start of the tags, or empty if they are not grouped. */
  prefix: string;
  tags: string[];
}

export function groupTensors(tags: string[]): TensorGroup[] {
  const groups = new Map<string, string[]>();
  for (const tag of tags) groups.set(partOf(tag), [...(groups.get(partOf(tag)) ?? []), tag]);
  if (tags.length < FEW || tags.length / groups.size < MIN_MEAN_SIZE) return [{ prefix: "", tags }];
  return [...groups].map(([prefix, tags]) => ({ prefix, tags }));
}

/** Returns `bert.encoder.layer.3.` for `bert.encoder.layer.3.output.bias`. Without a number: all but the last two names, or all but the last. */
function partOf(tag: string): string {
  const names = tag.split(/(?<=[./])/);
  const number = names.findIndex((name) => /^\d+[./]$/.test(name));
  const kept = number >= 0 ? number + 1 : Math.max(Math.min(1, names.length - 1), names.length - 2);
  return names.slice(0, kept).join("");
}
