import { expect, test } from "vitest";
import { SLOTS, Slots } from "./colors";

const run = (name: string, start = 0) => ({ id: name, name, start });
const many = (count: number) => Array.from({ length: count }, (_, i) => run(`run-${i}`, i));

test("the first twelve runs share no color", () => {
  const slots = new Slots();
  slots.add(many(SLOTS));
  expect(new Set(many(SLOTS).map(({ id }) => slots.of(id))).size).toBe(SLOTS);
});

test("a new run never shifts another's color, however old its name or time", () => {
  const slots = new Slots();
  slots.add(many(30));
  const before = many(30).map(({ id }) => slots.of(id));
  slots.add([run("aaa", -100), ...many(30), run("zzz", 100)]);
  expect(many(30).map(({ id }) => slots.of(id))).toEqual(before);
});

test("the same runs get the same colors in whatever order they are told", () => {
  const [a, b] = [new Slots(), new Slots()];
  a.add(many(40));
  b.add(many(40).reverse());
  expect(many(40).map(({ id }) => a.of(id))).toEqual(many(40).map(({ id }) => b.of(id)));
});

test("what was given is kept on the next visit, even when older runs are gone", () => {
  const first = new Slots();
  first.add(many(20));
  const second = new Slots(first.entries());
  second.add(many(20).slice(10));
  expect(
    many(20)
      .slice(10)
      .map(({ id }) => second.of(id)),
  ).toEqual(
    many(20)
      .slice(10)
      .map(({ id }) => first.of(id)),
  );
});

test("slots are used evenly", () => {
  const slots = new Slots();
  slots.add(many(120));
  const used = Array<number>(SLOTS).fill(0);
  for (const { id } of many(120)) used[slots.of(id)] = (used[slots.of(id)] ?? 0) + 1;
  expect(used).toEqual(Array(SLOTS).fill(10));
});
