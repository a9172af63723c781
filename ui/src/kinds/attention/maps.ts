/* Attention maps in the page: unpacked, scaled, without certain columns, subtracted. */

/** Weights of queries × keys, row by row. Rows add up to 1, or are all 0. */
export interface AttentionMap {
  queries: number;
  keys: number;
  values: Float32Array;
}

/** A byte holds 255 · √weight. */
const FULL_SCALE = 255;
const WEIGHTS = Float32Array.from({ length: FULL_SCALE + 1 }, (_, byte) => (byte / FULL_SCALE) ** 2);

/** Unpacks bytes that the server sends as they are stored. */
export async function unpack(packed: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([packed.slice()]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Returns weights from bytes. */
export function readMap(bytes: Uint8Array, queries: number, keys: number): AttentionMap {
  if (bytes.length !== queries * keys)
    throw new Error(`The map has ${bytes.length} weights. Expected ${queries} × ${keys}.`);
  const values = new Float32Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) values[i] = WEIGHTS[bytes[i]!]!;
  return scaleRows({ queries, keys, values });
}

/** Divides each row by its sum. Plain loops, because a map may have a quarter of a million weights. */
function scaleRows(map: AttentionMap): AttentionMap {
  const { queries, keys, values } = map;
  for (let row = 0; row < queries; row++) {
    let sum = 0;
    const end = (row + 1) * keys;
    for (let i = row * keys; i < end; i++) sum += values[i]!;
    if (sum > 0) for (let i = row * keys; i < end; i++) values[i]! /= sum;
  }
  return map;
}

/** Returns the map with 0 in some columns. The other weights stay as they are. */
export function withoutColumns(map: AttentionMap, columns: readonly number[]): AttentionMap {
  const values = map.values.slice();
  for (let row = 0; row < map.queries; row++) for (const column of columns) values[row * map.keys + column] = 0;
  return { ...map, values };
}

export function subtract(a: AttentionMap, b: AttentionMap): AttentionMap {
  return { ...a, values: a.values.map((value, i) => value - b.values[i]!) };
}

/** Returns the weights of one query on all keys, or of all queries on one key. */
export function weightsOf(map: AttentionMap, token: number, direction: "from" | "to"): Float32Array {
  const { queries, keys, values } = map;
  if (direction === "from") return values.subarray(token * keys, (token + 1) * keys);
  return Float32Array.from({ length: queries }, (_, row) => values[row * keys + token]!);
}

/** The strongest weights to draw as lines: those from 0.05 on, and the five largest of each row. */
export function strongest(map: AttentionMap, rows: readonly number[]): [row: number, column: number, weight: number][] {
  return rows.flatMap((row) => {
    const weights = weightsOf(map, row, "from");
    const order = [...weights.keys()].sort((a, b) => Math.abs(weights[b]!) - Math.abs(weights[a]!));
    return order
      .filter((column, rank) => Math.abs(weights[column]!) >= 0.05 || (rank < 5 && weights[column] !== 0))
      .map((column): [number, number, number] => [row, column, weights[column]!]);
  });
}

/** Whether a query may not attend to a key, because it comes later. */
export function isLater(map: AttentionMap, isCausal: boolean, row: number, column: number): boolean {
  return isCausal && column > row + map.keys - map.queries;
}

const SINKS = new Set(["[CLS]", "[SEP]", "<s>", "</s>", "<cls>", "<sep>", "<bos>", "<eos>", "<|endoftext|>"]);

/** Returns the columns where idle heads rest: the first key, and separators. */
export function sinkColumns(keys: readonly string[]): number[] {
  return keys.flatMap((key, i) => (i === 0 || SINKS.has(key) ? [i] : []));
}
