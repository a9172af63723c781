/* CSV of what is shown: the measures of all heads, and the weights of a map. */
import { csvCell, plainName, save } from "../../base/save";
import { toasts } from "../../widgets/toasts.svelte";
import type { AttentionModel } from "./model.svelte";

export function saveMeasures(model: AttentionModel): void {
  const { overview, change } = model;
  if (!overview) return;
  const head = ["layer", "head", ...model.measures, ...(change ? ["change"] : [])];
  const names = overview.layers.flatMap(({ layer, heads }) => heads.map((number) => [layer, number]));
  const rows = names.map((name, i) => [
    ...name,
    ...model.measures.map((measure) => overview.measured[measure][i]!),
    ...(change ? [change.divergence[i]!] : []),
  ]);
  saveCsv(model, [head, ...rows], "measures");
}

/** Saves a line for each query, with a column for each key. */
export function saveMap(model: AttentionModel): void {
  const { map, tokens, keys } = model;
  if (!map) return;
  const rows = tokens.map((token, row) => [token, ...map.values.subarray(row * map.keys, (row + 1) * map.keys)]);
  saveCsv(model, [["token", ...keys], ...rows], model.headName.replaceAll(" ", ""));
}

function saveCsv({ tag, a }: AttentionModel, rows: (string | number)[][], what: string): void {
  const name = `${plainName(tag)}-step${a?.step ?? 0}-${what}.csv`;
  const lines = rows.map((row) => row.map(csvCell).join(","));
  save(new Blob([lines.join("\n"), "\n"], { type: "text/csv" }), name);
  toasts.show({ icon: "check", text: `Saved ${name}`, detail: `${rows.length - 1} rows` });
}
