import { expect, test } from "vitest";
import { characterIndex, queryParts, utf16Index } from "./queryTokens";

const kinds = (query: string): string =>
  queryParts(query)
    .filter(({ kind }) => kind !== "space")
    .map(({ text, kind }) => `${text}:${kind[0]}`)
    .join(" ");

test.each([
  ["lr < 5e-5 and dr", "lr:n <:o 5e-5:v and:k dr:n"],
  ["model in (bert, roberta) or x=1", "model:n in:k (:o bert:v ,:o roberta:v ):o or:k x:n =:o 1:v"],
  ["min(eval/loss) < 0.3", "min:n (:o eval/loss:n ):o <:o 0.3:v"],
  ['name ~ /a b/ AND not `odd name` = "x y"', 'name:n ~:o /a:v b/:n AND:k not:k `odd name`:n =:o "x y":v'],
  ["exists dropout", "exists:k dropout:n"],
  ["x = 'open", "x:n =:o 'open:v"],
])("%s", (query, expected) => {
  expect(kinds(query)).toBe(expected);
});

test("parts join to the query", () => {
  for (const query of ["", "  a\t<  b ", "((", "a !~ /x/ , ` ' \""])
    expect(
      queryParts(query)
        .map(({ text }) => text)
        .join(""),
    ).toBe(query);
});

test("positions count characters, not UTF-16 units", () => {
  expect(utf16Index("🙂a", 1)).toBe(2);
  expect(characterIndex("🙂a", 2)).toBe(1);
});
