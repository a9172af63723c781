import { expect, it } from "vitest";
import { type Layer, sorted } from "./layers";

const layer = (tag: string, change?: number, zeros?: number | null): Layer => ({
  tag,
  steps: 1,
  last_step: 0,
  change,
  zeros,
});
const layers = [layer("layer.10", 0.5, null), layer("layer.2", 0.1, 0.9), layer("layer.1", 0.5, 0)];

it("counts as people do", () =>
  expect(sorted(layers, "name").map((l) => l.tag)).toEqual(["layer.1", "layer.2", "layer.10"]));
it("puts what moved most first, equals by name", () =>
  expect(sorted(layers, "change").map((l) => l.tag)).toEqual(["layer.1", "layer.10", "layer.2"]));
it("puts what cannot be told last", () =>
  expect(sorted(layers, "zeros").map((l) => l.tag)).toEqual(["layer.2", "layer.1", "layer.10"]));
