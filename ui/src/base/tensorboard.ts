/* Reads links of TensorBoard. Its old dashboards write `#scalars&regexInput=base&_smoothingWeight=0.8`, its new one
   `?runFilter=base&smoothing=0.8&tagFilter=loss#timeseries`. The view, run filter, tag filter, smoothing and
   pinned scalar cards are kept. TensorBoard's internals (runSelectionState, runColorGroup) are dropped. */

const VIEWS: Record<string, string> = {
  scalars: "charts",
  timeseries: "charts",
  distributions: "histograms",
  projector: "embeddings",
};
const KEYS: Record<string, string> = {
  regexInput: "q",
  runFilter: "q",
  tagFilter: "tags",
  _smoothingWeight: "smooth",
  smoothing: "smooth",
  pinnedCards: "pins",
};
const DROPPED = new Set(["runSelectionState", "runColorGroup", "darkMode", "_ignoreYOutliers", "_xType"]);

export function fromTensorboard(pairs: Map<string, string>, search: URLSearchParams): Map<string, string> {
  const out = new Map<string, string>();
  for (const [key, value] of pairs) {
    if (key === "") out.set("", VIEWS[value] ?? value);
    else if (!DROPPED.has(key)) out.set(KEYS[key] ?? key, translated(key, value));
  }
  for (const [key, value] of search) {
    const ours = KEYS[key];
    if (ours !== undefined && !out.has(ours)) out.set(ours, translated(key, value));
  }
  return out;
}

/** Returns pinned cards as a list of tags, with commas escaped: `[{"plugin":"scalars","tag":"loss"}, …]`. */
function translated(key: string, value: string): string {
  if (key !== "pinnedCards") return value;
  try {
    const cards = JSON.parse(value) as { plugin?: unknown; tag?: unknown }[];
    const tags = cards.filter(({ plugin }) => plugin === "scalars").map(({ tag }) => String(tag));
    return tags.map((tag) => tag.replace(/[\\,]/g, "\\$&")).join(",");
  } catch {
    return ""; // not TensorBoard's JSON
  }
}
