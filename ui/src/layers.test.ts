/* Imports point down: base ← api, charts, widgets ← app ← kinds. The shell knows the views by `kinds/index.ts` alone. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SRC = fileURLToPath(new URL(".", import.meta.url));
const BELOW: Record<string, string[]> = {
  base: ["base"],
  api: ["base", "api"],
  charts: ["base", "api", "charts"],
  widgets: ["base", "widgets"],
  app: ["base", "api", "widgets", "app"],
  kinds: ["base", "api", "charts", "widgets", "app", "kinds"],
};

/** All that the shell knows of the views. */
const REGISTRY = ["kinds", "kinds/loggingCode"];

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.(ts|svelte)$/.test(file) && file.includes("/"),
);

test.each(files)("%s imports only from below", (file) => {
  const layer = file.split("/")[0] ?? "";
  const imports = [...readFileSync(join(SRC, file), "utf8").matchAll(/from "(\.[^"]+)"|import\("(\.[^"]+)"\)/g)].map(
    (match) => relative(SRC, join(SRC, dirname(file), match[1] ?? match[2] ?? "")),
  );
  const up = imports.filter(
    (path) => !BELOW[layer]?.includes(path.split("/")[0] ?? "") && !(layer === "app" && REGISTRY.includes(path)),
  );
  expect(up).toEqual([]);
});

test("a kind imports no other kind", () => {
  const crossing = files
    .filter((file) => file.startsWith("kinds/") && file.split("/").length > 2)
    .flatMap((file) => {
      const kind = file.split("/")[1];
      const named = [...readFileSync(join(SRC, file), "utf8").matchAll(/from "\.\.\/([a-z_]+)\//g)].map(
        (match) => match[1],
      );
      return named.filter((other) => other !== kind).map((other) => `${file} → ${other}`);
    });
  expect(crossing).toEqual([]);
});
