import { expect, test } from "vitest";
import { age, stateText } from "./describe";

test.each([
  [0, "now"],
  [61, "1m"],
  [7200, "2h"],
  [86_400 * 364, "364d"],
  [86_400 * 800, "2y"],
  [NaN, "–"],
])("a last point %d seconds ago is %s", (seconds, words) => expect(age(seconds)).toBe(words));

test("a run without a point has no age", () => {
  expect(stateText("finished", NaN)).toBe("No point yet");
  expect(stateText("finished", 7200)).toBe("Finished 2h ago");
});
