import { expect, test } from "vitest";
import { nameParts } from "./nameParts";
import { sharedEnds, shortenName } from "./shortNames";

const rllib = [0.1, 0.01, 0.001].map((lr) => `PPO_CartPole-v1_lr=${lr},model_torch_it_1_1000`);

test("names share whole words and numbers, with names that begin alike", () => {
  const ends = sharedEnds([...rllib, "baseline", "trial-1", "trial-10"]);
  expect(ends.get(rllib[1]!)).toEqual(["PPO_CartPole-v1_lr=".length, ",model_torch_it_1_1000".length]);
  expect(ends.get("baseline")).toBeUndefined();
  expect(ends.get("trial-10")).toEqual(["trial-".length, 0]);
});

test.each([[["a_1", "a_1_1"]], [["same", "same"]], [["", "_", "__"]], [["x/y", "x/y/z", "x"]], [[]]])(
  "parts of %j make up the names",
  (names: string[]) => {
    const long = names.map((name) => `${name}_and_then_twenty_more_characters_${name}`);
    const ends = sharedEnds([...names, ...long]);
    for (const name of [...names, ...long]) expect(nameParts(name, ends.get(name)).join("")).toBe(name);
  },
);

test("shortened siblings differ and fit", () => {
  const names = [1, 2, 10].map((seed) => `experiment_with_a_long_name_and_many_words_seed=${seed}_final_version`);
  const ends = sharedEnds(names);
  const short = names.map((name) => shortenName(name, ends.get(name), 20));
  expect(short).toEqual(["experiment_with_a…1…", "experiment_with_a…2…", "experiment_with_…10…"]);
});

test("a name without siblings keeps its beginning and its end", () => {
  expect(shortenName("a-long-name-that-is-unlike-any-other-seed=1", undefined, 20)).toBe("a-long-na…her-seed=1");
  expect(shortenName("short", undefined, 20)).toBe("short");
});

test("names that fit a wide sidebar keep what differs in a narrow one", () => {
  const names = [1, 2].map((seed) => `bert-base-cased-seed-${seed}`);
  const ends = sharedEnds(names);
  expect(names.map((name) => nameParts(name, ends.get(name))[2])).toEqual(["1", "2"]);
});
