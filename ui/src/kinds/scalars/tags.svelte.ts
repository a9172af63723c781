/* The scalar tags of the logdir, in natural order. */
import { getTags } from "../../api/client";
import { Current, Resource } from "../../api/resource.svelte";
import { sortTags } from "./groups";

/** Sorted sets of tags, by kind. */
const tagSets = new Resource<string, Set<string>>({
  maxBatch: 1,
  affects: (event, kind, known) =>
    event.new_tags.includes(kind) ||
    Object.values(event.runs).some(({ kinds: { [kind]: tags } }) => {
      // Instead of very many tags, the event has a "*".
      return Array.isArray(tags) && tags.some((tag) => !known?.has(tag));
    }),
  async fetch([kind], { signal }) {
    const { cursor, tags } = await getTags(kind!, signal);
    return { cursor, data: [new Set(sortTags(tags.map(({ tag }) => tag)))] };
  },
});

class Tags {
  #current = new Current(tagSets);
  #last: string[] = [];
  /** Stays the same array while it holds the same tags. */
  all = $derived.by(() => {
    const next = [...(this.#current.data ?? [])];
    return next.join("\n") === this.#last.join("\n") ? this.#last : (this.#last = next);
  });
  ready = $derived(this.#current.data !== undefined);
  error = $derived(this.#current.error);

  follow(): void {
    this.#current.follow(() => "scalars");
  }
}

export const tags = new Tags();
