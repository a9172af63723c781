import { expect, it } from "vitest";
import { placeAt } from "./series.svelte";

it.each([
  [null, 2],
  [-5, 0],
  [0, 0],
  [9, 0],
  [10, 1],
  [99, 2],
])("finds the last step up to step %s", (step, index) => expect(placeAt([0, 10, 20], step)).toBe(index));
