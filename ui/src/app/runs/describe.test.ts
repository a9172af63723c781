import { expect, test } from "vitest";
import type { RunRow } from "../../api/types";
import { age, damageText, stateText } from "./describe";

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

test("damage is the number of corrupt records, or the reason why a file cannot be read", () => {
  const text = (records: number): string =>
    damageText({
      damage: { records, bytes: 10, where: [{ file: "a.tfevents", offset: 0, bytes: 0, why: "cannot be read" }] },
    } as RunRow);
  expect(text(2)).toBe("2 corrupt records skipped (10 B)");
  expect(text(0)).toBe("a.tfevents cannot be read");
});
