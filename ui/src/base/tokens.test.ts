/* Tokens and shared measures are stated once, and the media queries agree with them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SRC = fileURLToPath(new URL("..", import.meta.url));
const read = (file: string): string => readFileSync(join(SRC, file), "utf8");
const styled = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => /\.(svelte|css)$/.test(file));
const phoneMaxPx = /PHONE_MAX_PX = (\d+)/.exec(read("base/screen.svelte.ts"))?.[1];

test("each theme states a token once, and dark states none that light lacks", () => {
  const [light = "", dark = ""] = read("base/tokens.css").split(':root[data-theme="dark"]');
  const named = (css: string): string[] => [...css.matchAll(/^ {2}(--[\w-]+):/gm)].map((match) => match[1]!);
  expect(named(dark).length).toBeGreaterThan(50);
  for (const theme of [named(light), named(dark)]) expect(theme).toEqual([...new Set(theme)]);
  expect(named(dark).filter((name) => !named(light).includes(name))).toEqual([]);
});

test.each(styled.filter((file) => read(file).includes("@media (max-width")))(
  "%s has the phone layout up to the width that the script uses",
  (file) => {
    const widths = [...read(file).matchAll(/@media \(max-width: (\d+)px\)/g)].map((match) => match[1]);
    expect(new Set(widths)).toEqual(new Set([phoneMaxPx]));
  },
);
