/* The scalar tags of the logdir, in natural order; asked for again when runs come or a tag is new. */
import { getTags } from "../../api/client";
import { onChanged, onGrew } from "../../api/live";
import type { Grew } from "../../api/types";
import { sortTags } from "./groups";

class Tags {
  all = $state.raw<string[]>([]);
  /** Null until the first answer. */
  problem = $state<string | null>(null);
  ready = $state(false);
  #known = new Set<string>();
  #reads = 0;

  follow(): () => void {
    void this.read();
    const stops = [onChanged((what) => void (what === "runs" && this.read())), onGrew((event) => this.#grew(event))];
    return () => stops.forEach((stop) => stop());
  }

  async read(): Promise<void> {
    // An older response may arrive after a newer one. Counted here, because `Latest` would add a file to the first load.
    const own = ++this.#reads;
    const isLatest = (): boolean => own === this.#reads;
    try {
      const { tags } = await getTags("scalars");
      if (!isLatest()) return;
      const sorted = sortTags(tags.map((row) => row.tag));
      if (sorted.length !== this.all.length || sorted.some((tag, i) => tag !== this.all[i])) this.all = sorted;
      this.#known = new Set(sorted);
      this.ready = true;
      this.problem = null;
    } catch (reason) {
      if (isLatest()) this.problem = (reason as Error).message;
    }
  }

  #grew(event: Grew): void {
    const unknown = Object.values(event.runs).some(
      ({ kinds }) => Array.isArray(kinds.scalars) && kinds.scalars.some((tag) => !this.#known.has(tag)),
    );
    if (unknown) void this.read();
  }
}

export const tags = new Tags();
