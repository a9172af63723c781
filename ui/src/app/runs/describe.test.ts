import { expect, test } from "vitest";
import { age, stateText } from "./describe";

test.each([
  [0, "now"],
  [61, "1m"],
  [7200, "2h"],
  [86_400 * 364, "364d"],
  [86_400 * 800, "2y"],
  [86_400 * 365 * 56, "–"],
  [NaN, "–"],
])("a last point %d seconds ago is %s", (seconds, words) => expect(age(seconds)).toBe(words));

test("the text of a state names the time since the last point, if there is one", () => {
  expect(stateText("finished", NaN)).toBe("No points yet");
  expect(stateText("finished", 7200)).toBe("Finished 2h ago");
  expect(stateText("finished", 1.77e9)).toBe("Finished at an unknown time");
});
