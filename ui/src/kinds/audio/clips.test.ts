import { expect, it } from "vitest";
import { lasting } from "./clips";

it.each([
  [0.05, "50 ms"],
  [0.9994, "999 ms"],
  [1.5, "1.5 s"],
  [12, "12 s"],
  [125, "2m 05s"],
])("%d seconds last %s", (seconds, words) => expect(lasting(seconds)).toBe(words));
