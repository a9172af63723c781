/* What tells the tensors of a run apart, to sort them by. */
import { untrack } from "svelte";
import { post } from "../../api/client";
import type { Grew, JsonNumber, LayersResponse } from "../../api/types";
import { Latest } from "../../base/latest";

export interface Layer {
  tag: string;
  steps: number;
  last_step: number;
  change?: number;
  norm?: number;
  /** Null where the buckets are too wide to tell. */
  zeros?: number | null;
  spread?: number;
}

function readLayer({ change, norm, zeros, spread, ...rest }: LayersResponse["layers"][string][number]): Layer {
  const read = (value?: JsonNumber): number | undefined => (value === undefined ? undefined : Number(value));
  return { ...rest, change: read(change), norm: read(norm), zeros: zeros && Number(zeros), spread: read(spread) };
}

export type Order = "name" | "change" | "norm" | "zeros";

const natural = new Intl.Collator("en", { numeric: true });

/** The tensors of the runs that were asked for, read again as they grow. */
export class Layers {
  #known = $state.raw<Map<string, Map<string, Layer>>>(new Map());
  /** The runs that have any; null until it is known. */
  #having = $state.raw<Set<string> | null>(null);
  problem = $state<string | null>(null);
  #looks = new Latest();

  get ready(): boolean {
    return this.#having !== null;
  }

  has(run: string): boolean {
    return this.#having?.has(run) ?? false;
  }

  /** Looks which of these have tensors, and reads those of the run that is to be shown; the first that has any, where none is named. To be called in an effect. */
  async among(runs: string[], shown?: string): Promise<void> {
    const of = untrack(() => this.#known.size) > 0 ? [] : shown === undefined ? undefined : [shown];
    await this.#read(of, runs);
  }

  of(run: string): Layer[] | undefined {
    const known = this.#known.get(run);
    return known && [...known.values()];
  }

  find(run: string, tag: string): Layer | undefined {
    return this.#known.get(run)?.get(tag);
  }

  /** To be called in an effect. */
  want(runs: string[]): void {
    const unknown = runs.filter((run) => !this.#known.has(run));
    if (unknown.length && this.problem === null) void this.#read(unknown);
  }

  grew(event: Grew): void {
    const first = Object.keys(event.runs).filter((run) => !this.has(run) && event.runs[run]!.kinds.histograms);
    if (first.length && this.#having) this.#having = new Set([...this.#having, ...first]);
    const grown = Object.keys(event.runs).filter((run) => this.#known.has(run) && event.runs[run]!.kinds.histograms);
    if (grown.length) void this.#read(grown);
  }

  forget(): void {
    this.#known = new Map();
  }

  async #read(of: string[] | undefined, among?: string[]): Promise<void> {
    const isLatest = among ? this.#looks.begin() : () => true;
    try {
      const answer = await post("histograms/layers", { runs: { only: among ?? [] }, of });
      const { runs, layers } = (await answer.json()) as LayersResponse;
      if (among && isLatest()) this.#having = new Set(runs);
      const read = Object.entries(layers).map(
        ([run, layers]) => [run, new Map(layers.map((layer) => [layer.tag, readLayer(layer)]))] as const,
      );
      this.#known = new Map([...this.#known, ...read]);
      this.problem = null;
    } catch (reason) {
      this.problem = reason instanceof Error ? reason.message : String(reason);
    }
  }
}

/** By name as people count, or the largest first; what cannot be told comes last. */
export function sorted(layers: Layer[], order: Order): Layer[] {
  const byName = (a: Layer, b: Layer): number => natural.compare(a.tag, b.tag);
  if (order === "name") return [...layers].sort(byName);
  const size = (layer: Layer): number => (typeof layer[order] === "number" ? layer[order] : -1);
  return [...layers].sort((a, b) => size(b) - size(a) || byName(a, b));
}
