/* Series of one kind in the visible runs, with their steps: what the views of media start from. */
import { postJson } from "../api/client";
import { Current, hasGrown, Resource } from "../api/resource.svelte";
import { json, type Param, param } from "../base/url";
import { board } from "./board.svelte";
import { cursor } from "./cursor.svelte";

export interface Series {
  run: string;
  tag: string;
  steps: number[];
  walls: number[];
  /** Why the newest sample cannot be read. */
  broken?: string;
}

const seriesLists = new Resource<{ kind: string; runs: string[] }, Series[]>({
  maxBatch: 1,
  maxCached: 10,
  affects: (event, { kind, runs }) => runs.some((run) => hasGrown(event, kind, run)),
  async fetch([query], { signal }) {
    const { kind, runs } = query!;
    const body = { runs: { only: runs } };
    const { cursor, series } = await postJson<{ cursor: number; series: Series[] }>(`${kind}/series`, body, signal);
    return { cursor, data: [series] };
  },
});

export class SeriesList<S extends Series> {
  #current = new Current(seriesLists);
  all = $derived((this.#current.data ?? []) as S[]);
  /** Every step of any series, in order. */
  steps = $derived([...new Set(this.all.flatMap((series) => series.steps))].sort((a, b) => a - b));

  constructor(readonly kind: string) {}

  /** Follows the visible runs. Call it while a component is created. */
  follow(): void {
    this.#current.follow(() => ({ kind: this.kind, runs: board.visible.map((run) => run.id) }));
  }

  /** Properties of ViewLayout: whether there is data, why not, and how to retry. */
  get layout(): { ready: boolean; problem: string | null; onretry(): void } {
    const { data, error } = this.#current;
    return { ready: data !== undefined, problem: error?.message ?? null, onretry: () => seriesLists.retry() };
  }
}

/** The step that a view shows: the pinned step, or else its own step, which is in the URL. */
export class StepChoice {
  #own: Param<number | null>;

  constructor(key: string) {
    this.#own = param<number | null>(key, json<number | null>(), null);
  }

  /** Null means the newest step. */
  get value(): number | null {
    return cursor.pinned ?? this.#own.value;
  }

  /** `done` is false during a gesture. */
  go(next: number | null, done = true): void {
    cursor.pinned = null;
    if (done) this.#own.value = next;
    else this.#own.preview(next);
  }
}

const natural = new Intl.Collator("en", { numeric: true });

/** Groups series by tag, in natural order. `passes` selects tags. */
export function byTag<S extends Series>(all: S[], passes: (tag: string) => boolean): [tag: string, series: S[]][] {
  return [
    ...Map.groupBy(
      all.filter(({ tag }) => passes(tag)),
      ({ tag }) => tag,
    ),
  ].sort(([a], [b]) => natural.compare(a, b));
}

/** Returns the index of the last step that is not after `step`, or 0 if all are. Null means the newest step. */
export function placeAt(steps: number[], step: number | null): number {
  if (step === null) return steps.length - 1;
  let [lo, hi] = [0, steps.length];
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (steps[mid]! <= step) lo = mid + 1;
    else hi = mid;
  }
  return Math.max(0, lo - 1);
}
