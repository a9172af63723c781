import { expect, test } from "vitest";
import type { FactJson, GroupedBy } from "../../api/types";
import { makeGroups, shortNumber } from "./factGroups";
import { factList, removeFact } from "./factList";
import { type FactColors, factColors } from "./factLooks";
import { mainMetric } from "./mainMetric";

const lr: GroupedBy = { name: "hp.lr", field: "hp.lr", type: "number" };
const answer = (by: GroupedBy[], keys: FactJson[][]) => ({
  cursor: 1,
  by,
  groups: keys.map((key, i) => ({ key, runs: [`run${i}`] })),
  problem: null,
  asked: "",
});

test("groups are named by their facts", () => {
  const model: GroupedBy = { name: "`hp.model name`", field: "`hp.model name`", type: "text" };
  const condition: GroupedBy = { name: "lr < 1e-3", field: "lr < 1e-3", type: "boolean" };
  const flag: GroupedBy = { name: "amp", field: "hp.amp", type: "boolean" };
  const names = makeGroups(
    answer(
      [lr, model, condition, flag],
      [
        [3e-5, "bert", true, true],
        [0.1, null, false, null],
        [null, "a b", null, false],
      ],
    ),
  ).map(({ label }) => label);
  expect(names).toEqual([
    "lr 3e-5, model name bert, lr < 1e-3, amp true",
    "lr 0.1, no model name, not lr < 1e-3, no amp",
    "no lr, model name a b, unknown: lr < 1e-3, amp false",
  ]);
});

test.each([
  [0.00003, "3e-5"],
  [0.0001, "1e-4"],
  [0.001, "0.001"],
  [0.1 + 0.2, "0.3"],
  [32, "32"],
  [NaN, "NaN"],
])("setting %s is written as %s", (value, text) => expect(shortNumber(value)).toBe(text));

test("a list of facts is split at its own commas", () => {
  const list = 'lr, model in (a, b), `x, y`, note = "1, 2"';
  expect(factList(list)).toEqual(["lr", "model in (a, b)", "`x, y`", 'note = "1, 2"']);
  expect(removeFact(list, "`x, y`")).toBe('lr, model in (a, b), note = "1, 2"');
  expect(factList(" , ")).toEqual([]);
});

function sharesOf(colors: FactColors): (number | null)[] {
  return [...colors.of.values()].map((color) => (color && "share" in color ? color.share : null));
}

test("few values have a color each, and many numbers a scale", () => {
  const few = factColors(answer([lr], [[1e-5], [1e-4], [null]]));
  expect(few.scale).toBeNull();
  expect(few.legend.map(({ text }) => text)).toEqual(["1e-5", "1e-4"]);
  expect(few.of.get("run2")).toBeNull();
  const many = factColors(answer([lr], [...Array.from({ length: 9 }, (_, i) => [10 ** -i]), [NaN]]));
  expect(many.scale).toBe("log");
  const shares = sharesOf(many);
  expect(shares[0]).toBe(1);
  expect(shares[4]).toBeCloseTo(0.5);
  expect(shares[9]).toBeNull();
  expect(
    factColors(
      answer(
        [lr],
        Array.from({ length: 9 }, (_, i) => [i]),
      ),
    ).scale,
  ).toBe("linear");
});

test("the main metric is a loss of the validation set, if there is one", () => {
  expect(mainMetric(["grad_norm/loss", "train/loss", "eval/accuracy", "eval/loss"])).toBe("eval/loss");
  expect(mainMetric(["lr", "accuracy"])).toBe("accuracy");
  expect(mainMetric([])).toBeUndefined();
});
