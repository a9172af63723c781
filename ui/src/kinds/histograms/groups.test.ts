import { expect, it } from "vitest";
import { groupTensors } from "./groups";

const layer = (n: number): string[] =>
  ["query.weight", "query.bias", "key.weight", "key.bias"].map((name) => `encoder.layer.${n}.${name}`);

it("joins what belongs to one layer", () => {
  const tags = [...layer(0), ...layer(1), ...layer(2)];
  expect(groupTensors(tags).map(({ prefix, tags }) => [prefix, tags.length])).toEqual([
    ["encoder.layer.0.", 4],
    ["encoder.layer.1.", 4],
    ["encoder.layer.2.", 4],
  ]);
});

it("leaves a few tensors, and tensors with nothing in common, as they are", () => {
  expect(groupTensors(layer(0))).toEqual([{ prefix: "", tags: layer(0) }]);
  const apart = Array.from({ length: 20 }, (_, i) => `part${i}.weight`);
  expect(groupTensors(apart)).toEqual([{ prefix: "", tags: apart }]);
});
