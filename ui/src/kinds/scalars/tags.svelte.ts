/* The scalar tags of the logdir, in natural order. */
import { getTags, postJson } from "../../api/client";
import { Current, Resource } from "../../api/resource.svelte";
import type { PresentTags, RunChoice } from "../../api/types";
import { currentRuns } from "./chart.svelte";
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

/** Tags that at least one of the selected runs has. */
const presentTags = new Resource<RunChoice, Set<string>>({
  maxBatch: 1,
  maxCached: 20,
  affects: (event, _, known) =>
    Object.values(event.runs).some(({ kinds: { scalars } }) =>
      scalars === "*" ? known && known.size < tags.all.length : scalars?.some((tag) => !known?.has(tag)),
    ),
  async fetch([runs], { signal }) {
    const { cursor, tags } = await postJson<PresentTags>("scalars/tags", { runs }, signal);
    return { cursor, data: [new Set(tags)] };
  },
});

class Tags {
  #current = new Current(tagSets);
  #present = new Current(presentTags);
  #last: string[] = [];
  /** Stays the same array while it holds the same tags. */
  all = $derived.by(() => {
    const next = [...(this.#current.data ?? [])];
    return next.join("\n") === this.#last.join("\n") ? this.#last : (this.#last = next);
  });
  /** False only until the first response, so that charts without data do not flash up. */
  #isPresenceKnown = $state(false);
  ready = $derived(this.#current.data !== undefined && this.#isPresenceKnown);
  error = $derived(this.#current.error);

  follow(): void {
    this.#current.follow(() => "scalars");
    const partial = (): RunChoice | null => {
      const runs = currentRuns();
      return "except" in runs && runs.except.length === 0 ? null : runs;
    };
    this.#present.follow(partial);
    $effect(() => {
      if (partial() === null || this.#present.data || this.#present.error) this.#isPresenceKnown = true;
    });
  }

  /** Whether a selected run has this tag. While a new selection loads, all charts stay on screen. */
  isPresent(tag: string): boolean {
    return this.#present.data?.has(tag) ?? this.#isPresenceKnown;
  }
}

export const tags = new Tags();
