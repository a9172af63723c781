// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { drawLegend } from "./legend";
import { makeImage } from "./exportImage";
import { makeTheme } from "./theme";

test("names that are too long for the legend stay different and fit", async () => {
  const theme = makeTheme(() => "1");
  const long = "a-run-of-a-large-sweep-with-every-setting-in-its-name-".repeat(3);
  const entries = [1, 2, 10].map((seed) => ({ label: `${long}seed=${seed}`, color: "#000", dash: [] }));
  const size = { width: 400, height: 100 };
  const image = await makeImage("SVG", size, (pen) => drawLegend(pen, theme, entries, { left: 0, top: 0, width: 400 }));
  const names = [...(await image.text()).matchAll(/<text[^>]*>([^<]+)</g)].map((match) => match[1]!);
  expect(names.map((name) => name.split("…").at(-1))).toEqual(["1", "2", "10"]);
  expect(Math.max(...names.map((name) => name.length))).toBeLessThan(60);
});
