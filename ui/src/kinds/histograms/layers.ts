/* Statistics of the tensors of a run, to sort them by. */
import { postJson } from "../../api/client";
import { hasGrown, Resource } from "../../api/resource.svelte";
import type { JsonNumber, LayersResponse } from "../../api/types";

export interface Layer {
  tag: string;
  steps: number;
  last_step: number;
  change?: number;
  norm?: number;
  /** Fraction of zeros, or null if the buckets are too wide to tell. */
  zeros?: number | null;
  spread?: number;
}

function readLayer({ change, norm, zeros, spread, ...rest }: LayersResponse["layers"][string][number]): Layer {
  const read = (value?: JsonNumber): number | undefined => (value === undefined ? undefined : Number(value));
  return { ...rest, change: read(change), norm: read(norm), zeros: zeros && Number(zeros), spread: read(spread) };
}

export type Order = "name" | "change" | "norm" | "zeros";

const natural = new Intl.Collator("en", { numeric: true });

/** Layers by run, each by tag. */
export const layers = new Resource<string, Map<string, Layer>>({
  affects: (event, run) => hasGrown(event, "histograms", run),
  async fetch(runs, { signal }) {
    const { cursor, layers } = await requestLayers([], runs, signal);
    const data = runs.map((run) => new Map(layers[run]!.map((layer) => [layer.tag, readLayer(layer)])));
    return { cursor, data };
  },
});

/** The runs of a list that have histograms. */
export const runsWithLayers = new Resource<string[], string[]>({
  maxBatch: 1,
  maxCached: 10,
  affects: (event, runs, having) => runs.some((run) => hasGrown(event, "histograms", run) && !having?.includes(run)),
  async fetch([runs], { signal }) {
    const { cursor, runs: having } = await requestLayers(runs!, [], signal);
    return { cursor, data: [having] };
  },
});

function requestLayers(only: string[], of: string[], signal: AbortSignal): Promise<LayersResponse> {
  return postJson("histograms/layers", { runs: { only }, of }, signal);
}

/** Returns the layers of a run, or undefined if they have not arrived. */
export function layersOf(run: string): Map<string, Layer> | undefined {
  const known = layers.get(run);
  return known instanceof Error ? undefined : known;
}

/** Sorts by name in natural order, or by the largest value. Layers without a value are last. */
export function sorted(layers: Layer[], order: Order): Layer[] {
  const byName = (a: Layer, b: Layer): number => natural.compare(a.tag, b.tag);
  if (order === "name") return [...layers].sort(byName);
  const size = (layer: Layer): number => (typeof layer[order] === "number" ? layer[order] : -1);
  return [...layers].sort((a, b) => size(b) - size(a) || byName(a, b));
}
