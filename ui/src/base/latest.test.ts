import { expect, test } from "vitest";
import { Latest } from "./latest";

test("only the latest of overlapping reads counts", () => {
  const reads = new Latest();
  const first = reads.begin();
  expect(first()).toBe(true);
  const second = reads.begin();
  expect([first(), second()]).toEqual([false, true]);
});
