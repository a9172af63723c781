/* What tells the tensors of a run apart, to sort them by. */
import { post } from "../../api/client";

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

export type Order = "name" | "change" | "norm" | "zeros";

const natural = new Intl.Collator("en", { numeric: true });

export async function readLayers(run: string): Promise<Layer[]> {
  return (await (await post("histograms/layers", { run })).json()).layers;
}

/** By name as people count, or the largest first; what cannot be told comes last. */
export function sorted(layers: Layer[], order: Order): Layer[] {
  const byName = (a: Layer, b: Layer): number => natural.compare(a.tag, b.tag);
  if (order === "name") return [...layers].sort(byName);
  const size = (layer: Layer): number => (typeof layer[order] === "number" ? layer[order] : -1);
  return [...layers].sort((a, b) => size(b) - size(a) || byName(a, b));
}
