/* What the shown runs have logged of one kind, at which steps: what every view of things (images, texts) begins with. */
import { untrack } from "svelte";
import { post } from "../api/client";
import { onChanged, onGrew } from "../api/live";
import { Latest } from "../base/latest";
import { json, type Param, param } from "../base/url";
import { board } from "./board.svelte";
import { cursor } from "./cursor.svelte";

export interface Series {
  run: string;
  tag: string;
  steps: number[];
  walls: number[];
  /** Why the newest one cannot be read. */
  broken?: string;
}

export class SeriesList<S extends Series> {
  all = $state.raw<S[]>([]);
  ready = $state(false);
  problem = $state<string | null>(null);
  /** Every step at which anything was logged, in order. */
  steps = $derived([...new Set(this.all.flatMap((series) => series.steps))].sort((a, b) => a - b));

  #reads = new Latest();

  constructor(readonly kind: string) {}

  /** Reads now, when other runs are shown, and when these logged more. To be called in an effect. */
  follow(): () => void {
    const runs = board.visible.map((run) => run.id);
    void this.read();
    const stops = [
      onGrew((event) => void (runs.some((run) => event.runs[run]?.kinds[this.kind]) && this.read())),
      onChanged((what) => void (what === "runs" && this.read())),
    ];
    return () => stops.forEach((stop) => stop());
  }

  async read(): Promise<void> {
    const runs = untrack(() => board.visible.map((run) => run.id));
    const isLatest = this.#reads.begin();
    try {
      const answer = await post(`${this.kind}/series`, { runs: { only: runs } });
      const { series } = (await answer.json()) as { series: S[] };
      if (!isLatest()) return;
      this.all = series;
      this.problem = null;
    } catch (reason) {
      if (!isLatest()) return;
      this.problem = reason instanceof Error ? reason.message : String(reason);
    }
    this.ready = true;
  }
}

/** The step that a view of things shows: the shared cursor's where one is set, else its own, which is in the address. */
export class StepChoice {
  #own: Param<number | null>;

  constructor(key: string) {
    this.#own = param<number | null>(key, json<number | null>(), null);
  }

  /** Null is the newest, whichever that is by then. */
  get value(): number | null {
    return cursor.pinned ?? this.#own.value;
  }

  /** `done` ends a gesture. */
  go(next: number | null, done = true): void {
    cursor.pinned = null;
    if (done) this.#own.value = next;
    else this.#own.preview(next);
  }
}

const natural = new Intl.Collator("en", { numeric: true });

/** The series that pass, together by tag, as people count. */
export function byTag<S extends Series>(all: S[], passes: (tag: string) => boolean): [tag: string, series: S[]][] {
  return [
    ...Map.groupBy(
      all.filter(({ tag }) => passes(tag)),
      ({ tag }) => tag,
    ),
  ].sort(([a], [b]) => natural.compare(a, b));
}

/** The place in `steps` of the newest one that is not after `step`; the first where all are. */
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
