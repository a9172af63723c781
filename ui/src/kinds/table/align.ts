/** Cells in the order of the runs that the page knows. A response may be from before a run came or went. */
import type { Cells } from "../cells";
import type { Fact } from "./facts";

/** For each of the page's runs, its row in a response; null if both have the same order. */
const orders = new WeakMap<readonly string[], { runs: readonly string[]; rows: Int32Array | null }>();
const aligned = new WeakMap<Fact, { rows: Int32Array; cells: Cells }>();

export function align(fact: Fact, runs: readonly string[]): Cells {
  const rows = orderOf(fact.runs, runs);
  if (rows === null) return fact.cells;
  const known = aligned.get(fact);
  if (known?.rows === rows) return known.cells;
  const { kind, number, code, texts } = fact.cells;
  const cells = {
    kind: Uint8Array.from(rows, (row) => (row < 0 ? 0 : kind[row]!)),
    number: Float64Array.from(rows, (row) => (row < 0 ? NaN : number[row]!)),
    code: Int32Array.from(rows, (row) => (row < 0 ? -1 : code[row]!)),
    texts,
  };
  aligned.set(fact, { rows, cells });
  return cells;
}

function orderOf(theirs: readonly string[], ours: readonly string[]): Int32Array | null {
  const known = orders.get(theirs);
  if (known?.runs === ours) return known.rows;
  const isSame = theirs.length === ours.length && ours.every((id, row) => id === theirs[row]);
  const places = new Map(isSame ? [] : theirs.map((id, row) => [id, row]));
  const rows = isSame ? null : Int32Array.from(ours, (id) => places.get(id) ?? -1);
  orders.set(theirs, { runs: ours, rows });
  return rows;
}
