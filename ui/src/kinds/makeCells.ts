/** Cells made of values, for tests. */
import type { Cell, Cells } from "./cells";

export function makeCells(values: Cell[]): Cells {
  const texts = [...new Set(values.filter((value) => typeof value === "string"))];
  return {
    kind: Uint8Array.from(values, (value) =>
      value === null ? 0 : typeof value === "number" ? 1 : typeof value === "string" ? 2 : 3,
    ),
    number: Float64Array.from(values, (value) => (typeof value === "string" || value === null ? NaN : Number(value))),
    code: Int32Array.from(values, (value) => texts.indexOf(value as string)),
    texts,
  };
}
