import { expect, test } from "vitest";
import { shortToken, tokenText } from "./tokens";

test.each([
  ["Ġnever", "never"],
  ["▁never", "never"],
  ["##ing", "##ing"],
  [" ", "␣"],
  ["\n", "↵"],
  ["Ċ", "↵"],
])("%j is read as %j", (token, text) => expect(tokenText(token)).toBe(text));

test("long tokens are cut", () => expect(shortToken("internationalization", 8)).toBe("interna…"));
