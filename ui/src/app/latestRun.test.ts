import { expect, test } from "vitest";
import { latestRun } from "./latestRun";

const run = (name: string, start: number | null) => ({ name, start });

test("the latest run is the one that started last", () => {
  expect(latestRun([run("a", 1), run("b", 3), run("c", 2), run("new", null)])?.name).toBe("b");
  expect(latestRun([])).toBeUndefined();
});

test("sub-runs of add_scalars are not the latest run", () => {
  const runs = [
    run("old", 1),
    run("exp/new", 5),
    run("exp/new/loss_train", 6),
    run("exp/new/a/b", 7),
    run("exp/mid", 4),
  ];
  expect(latestRun(runs)?.name).toBe("exp/new");
});
