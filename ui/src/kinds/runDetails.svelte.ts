/** Details of runs: config, metrics, environment and note, kept up to date. */
import { postJson } from "../api/client";
import { onChanged } from "../api/live";
import { Resource } from "../api/resource.svelte";
import type { RunDetails, RunDetailsList } from "../api/types";

interface Query {
  run: string;
  /** Grows with changes of notes, which the server's cursor does not count. */
  changes: number;
}

const details = new Resource<Query, RunDetails>({
  maxBatch: 50,
  maxCached: 100,
  affects: (event, { run }) => Object.keys(event.runs[run]?.kinds ?? {}).length > 0,
  async fetch(queries, { signal }) {
    const { cursor, runs } = await postJson<RunDetailsList>(
      "runs/details",
      { runs: queries.map(({ run }) => run) },
      signal,
    );
    const found = new Map(runs.map((one) => [one.id, one]));
    return { cursor, data: queries.map(({ run }) => found.get(run) ?? new Error("This run no longer exists.")) };
  },
});

export class DetailsOfRuns {
  #changes = $state(0);
  /** The old details stay until those after a change of a note have arrived. */
  #latest = new Map<string, RunDetails>();

  /** Call it in a component. */
  constructor(private readonly runs: () => readonly string[]) {
    $effect(() => onChanged((what) => what === "sidecar" && (this.#changes += 1)));
    $effect(() => {
      const stops = this.runs().map((run) => details.use({ run, changes: this.#changes }));
      return () => stops.forEach((stop) => stop());
    });
  }

  get(run: string): RunDetails | Error | undefined {
    const found = details.get({ run, changes: this.#changes });
    if (found && !(found instanceof Error)) this.#latest.set(run, found);
    return found ?? this.#latest.get(run);
  }

  retry(): void {
    details.retry();
  }
}

/** Splits `train/loss` into `train/` and `loss`, and `optimizer.lr` into `optimizer.` and `lr`. */
export function splitKey(key: string): [prefix: string, name: string] {
  const at = Math.max(key.lastIndexOf("/", key.length - 2), key.lastIndexOf(".", key.length - 2)) + 1;
  return [key.slice(0, at), key.slice(at)];
}
