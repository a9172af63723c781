import { tableFromArrays, tableToIPC } from "@uwdata/flechette";
import { expect, test } from "vitest";
import { readFrames } from "./frames";

function frames(...parts: Uint8Array[]): ArrayBuffer {
  const bytes = parts.flatMap((part) => [...new Uint8Array(new Uint32Array([part.length]).buffer), ...part]);
  return new Uint8Array(bytes).buffer;
}

const head = new TextEncoder().encode(JSON.stringify({ cursor: 3 }));
const table = tableToIPC(tableFromArrays({ x: Float64Array.of(1, 2), s0: Float32Array.of(0.5, 0.25) }), {
  format: "stream",
})!;

test("a head and its tables", () => {
  const { head: read, tables } = readFrames<{ cursor: number }>(frames(head, table, table));
  expect(read).toEqual({ cursor: 3 });
  expect(tables.map((t) => [...(t.s0 as Float32Array)])).toEqual([
    [0.5, 0.25],
    [0.5, 0.25],
  ]);
});

test("an incomplete response is an error", () => {
  expect(() => readFrames(frames(head, table).slice(0, -5))).toThrow(/incomplete/);
});
