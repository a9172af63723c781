import { float32, float64, int32, tableFromArrays, tableToIPC, uint16, utf8 } from "@uwdata/flechette";
import { expect, test } from "vitest";
import { readTable } from "./arrow";

/** Written by another hand than our server's. */
const write = (columns: Record<string, ArrayLike<unknown>>, types: object = {}): Uint8Array =>
  tableToIPC(tableFromArrays(columns as never, { types } as never), { format: "stream" })!;

test("columns of numbers are views of what was received, NaN included", () => {
  const table = readTable(
    write(
      {
        x: Float64Array.of(1, 2.5, NaN),
        v: Float32Array.of(0.5, NaN, -1),
        n: Uint16Array.of(1, 2, 65535),
        i: Int32Array.of(-1, 0, 7),
      },
      { x: float64(), v: float32(), n: uint16(), i: int32() },
    ),
  );
  expect(table).toEqual({
    x: Float64Array.of(1, 2.5, NaN),
    v: Float32Array.of(0.5, NaN, -1),
    n: Uint16Array.of(1, 2, 65535),
    i: Int32Array.of(-1, 0, 7),
  });
});

test("text is read as it was", () => {
  expect(readTable(write({ name: ["train/loss", "", "é—𝄞"] }, { name: utf8() }))).toEqual({
    name: ["train/loss", "", "é—𝄞"],
  });
});

test("an empty table has its columns", () => {
  expect(readTable(write({ x: Float64Array.of() }, { x: float64() }))).toEqual({ x: Float64Array.of() });
});

test("what it cannot read it says", () => {
  expect(() => readTable(write({ x: [1, null, 3] }, { x: float64() }))).toThrow("The column x has nulls.");
  expect(() => readTable(write({ flag: [true, false] }))).toThrow(
    "The column flag is of an Arrow type that is not read",
  );
});
