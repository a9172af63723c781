import { expect, test } from "vitest";
import { configGroups, nested } from "./config";

const config = { lr: 1, "optim.name": "adamw", "optim.beta": 0.9, "data.path": "x", seed: 2 };

test("settings are grouped by the first part of their names", () => {
  expect(configGroups(config, "")).toEqual([
    {
      name: "",
      settings: [
        ["lr", 1],
        ["data.path", "x"],
        ["seed", 2],
      ],
    },
    {
      name: "optim",
      settings: [
        ["name", "adamw"],
        ["beta", 0.9],
      ],
    },
  ]);
});

test("a search finds names and values", () => {
  expect(configGroups(config, "ADAM optim")).toEqual([{ name: "optim", settings: [["name", "adamw"]] }]);
  expect(configGroups(config, "nothing")).toEqual([]);
});

test("the document has the values again, whatever the names are", () => {
  expect(nested({ "a.b.c": 1, "a.b.d": 2, e: 3 })).toEqual({ a: { b: { c: 1, d: 2 } }, e: 3 });
  expect(nested({ a: 1, "a.b": 2 })).toEqual({ a: 1, "a.b": 2 });
  expect(nested({ "a.b": 2, a: 1 })).toEqual({ a: 1, "a.b": 2 });
  expect(Object.keys(nested({ "__proto__.x": 1 }))).toEqual(["__proto__"]);
});
