import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { COLORS, dashOf, LOOKS, Looks } from "./colors";
import { separateLooks } from "./separateLooks";

const run = (name: string, start = 0) => ({ id: name, name, start });
const many = (count: number) => Array.from({ length: count }, (_, i) => run(`run-${i}`, i));

test("the first twelve runs share no color, and are solid", () => {
  const looks = new Looks();
  looks.add(many(COLORS));
  const given = many(COLORS).map(({ id }) => looks.of(id));
  expect(given.sort((a, b) => a - b)).toEqual([...Array(COLORS).keys()]);
});

test("no two runs look alike while there are enough looks", () => {
  const looks = new Looks();
  looks.add(many(LOOKS));
  expect(new Set(many(LOOKS).map(({ id }) => looks.of(id))).size).toBe(LOOKS);
});

test("the style sheet draws the same dashes as the charts", () => {
  const css = readFileSync(fileURLToPath(new URL("../base/base.css", import.meta.url)), "utf8");
  for (let i = 1; i < LOOKS / COLORS; i++) {
    const rule = css.slice(css.indexOf(`[data-dash="${i}"]`)).split("}")[0]!;
    let end = 0;
    const ends = dashOf(i).map((length) => (end += length));
    expect([...rule.matchAll(/0 (\d+)px/g)].map(([, px]) => Number(px))).toEqual(ends);
  }
});

test("a new run never changes another's look, however old its name or time", () => {
  const looks = new Looks();
  looks.add(many(30));
  const before = many(30).map(({ id }) => looks.of(id));
  looks.add([run("aaa", -100), ...many(30), run("zzz", 100)]);
  expect(many(30).map(({ id }) => looks.of(id))).toEqual(before);
});

test("the same runs get the same looks in any order", () => {
  const [a, b] = [new Looks(), new Looks()];
  a.add(many(40));
  b.add(many(40).reverse());
  expect(many(40).map(({ id }) => a.of(id))).toEqual(many(40).map(({ id }) => b.of(id)));
});

test("looks are kept on the next visit, even if older runs are gone", () => {
  const first = new Looks();
  first.add(many(20));
  const second = new Looks(first.entries());
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

test("looks are used evenly", () => {
  const looks = new Looks();
  looks.add(many(120));
  const used = Array<number>(LOOKS).fill(0);
  for (const { id } of many(120)) used[looks.of(id)] = (used[looks.of(id)] ?? 0) + 1;
  expect(used).toEqual(Array(LOOKS).fill(2));
});

test("of a thousand runs, those that are visible together never look alike, and the others keep their looks", () => {
  const looks = new Looks();
  looks.add(many(1000));
  const alike = many(1000).filter(({ id }) => looks.of(id) === looks.of("run-0"));
  const shown = alike.map(({ id }) => id);
  const [first] = shown;
  const before = looks.of(first!);
  expect(separateLooks(looks, shown)).toBe(true);
  expect(new Set(shown.map((id) => looks.of(id))).size).toBe(shown.length);
  expect(looks.of(first!)).toBe(before);
  expect(separateLooks(looks, shown)).toBe(false);
});

test("looks are not separated if there are too few", () => {
  const looks = new Looks();
  looks.add(many(LOOKS + 1));
  expect(
    separateLooks(
      looks,
      many(LOOKS + 1).map(({ id }) => id),
    ),
  ).toBe(false);
});
