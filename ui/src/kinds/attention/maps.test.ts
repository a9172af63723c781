import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { isLater, readMap, sinkColumns, strongest, subtract, unpack, weightsOf, withoutColumns } from "./maps";

const map = readMap(Uint8Array.of(255, 0, 128, 128, 0, 0), 3, 2);

test("bytes are squared, and rows add up to 1", () => {
  expect([...map.values]).toEqual([1, 0, 0.5, 0.5, 0, 0]);
});

test("a map of another size is refused", () => {
  expect(() => readMap(new Uint8Array(5), 3, 2)).toThrow("5 weights. Expected 3 × 2");
});

test("unpacks what zlib packed", async () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 7);
  expect(await unpack(new Uint8Array(deflateSync(bytes)))).toEqual(bytes);
});

test("a token is read as a row or a column", () => {
  expect([...weightsOf(map, 1, "from")]).toEqual([0.5, 0.5]);
  expect([...weightsOf(map, 0, "to")]).toEqual([1, 0.5, 0]);
});

test("columns are removed, and maps subtracted", () => {
  expect([...withoutColumns(map, [0]).values]).toEqual([0, 0, 0, 0.5, 0, 0]);
  expect([...subtract(map, withoutColumns(map, [0])).values]).toEqual([1, 0, 0.5, 0, 0, 0]);
});

test("lines are drawn from 0.05 on, and to the five strongest keys", () => {
  const flat = { queries: 1, keys: 40, values: new Float32Array(40).fill(1 / 40) };
  expect(strongest(flat, [0])).toHaveLength(5);
  const broad = { queries: 1, keys: 8, values: new Float32Array(8).fill(1 / 8) };
  expect(strongest(broad, [0])).toHaveLength(8);
});

test("in a causal map, later keys are absent, counted from the end", () => {
  const square = { queries: 2, keys: 2, values: new Float32Array(4) };
  const cached = { queries: 1, keys: 3, values: new Float32Array(3) };
  expect([isLater(square, true, 0, 1), isLater(square, true, 1, 1)]).toEqual([true, false]);
  expect(isLater(cached, true, 0, 2)).toBe(false);
  expect(isLater(square, false, 0, 1)).toBe(false);
});

test("idle heads rest on the first key and on separators", () => {
  expect(sinkColumns(["The", "[SEP]", "x"])).toEqual([0, 1]);
});
