import { svelte } from "@sveltejs/vite-plugin-svelte";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string): string => fileURLToPath(new URL(`src/${path}`, import.meta.url));

/** The first load: what every view needs from its first moment on, the charts, and what they share with other views that draw. */
const FIRST_LOAD = [
  "main.ts",
  "api/resource.svelte.ts",
  "app/Toolbar.svelte",
  "app/cursor.svelte.ts",
  "app/phone.svelte.ts",
  "kinds/scalars/View.svelte",
  "charts/lines/plot.ts",
  "kinds/chartTheme.svelte.ts",
  "api/frames.ts",
  "widgets/Slider.svelte",
  "widgets/Toggle.svelte",
  // Runs often have names with a common part.
  "base/shortNames.ts",
].map(source);
/** What every menu needs. Not with the views' frame, because the charts have menus and do without the frame. */
const MENU = ["widgets/Menu.svelte", "widgets/popoverPosition.ts"].map(source);
/** What marks runs with findings in the sidebar and on charts. */
const FINDINGS = [
  "app/runs/FindingsMark.svelte",
  "app/SeverityIcon.svelte",
  "app/findings.svelte.ts",
  "kinds/scalars/findingMarks.svelte.ts",
].map(source);
/** What the views of logged things share. */
const FRAME = readdirSync(source("app/view")).map((name) => source(`app/view/${name}`));

interface Modules {
  getModuleInfo(id: string): { importedIds: string[] } | null;
}

function withImports(entries: string[], modules: Modules): Set<string> {
  const found = new Set(entries);
  // A set also visits what is added on the way.
  for (const id of found) for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}

function ofFrame(id: string, modules: Modules): boolean {
  return withImports(FRAME, modules).has(id) && !withImports(FIRST_LOAD, modules).has(id);
}

/** Vite wraps each import() in a helper that preloads what the part imports. Here nothing is preloaded, so the helper only calls it. */
const withoutPreload = {
  name: "without-preload",
  enforce: "pre" as const,
  load: (id: string) => (id.includes("vite/preload-helper") ? "export const __vitePreload = (load) => load();" : null),
};

/** Where Svelte says whether it takes over elements that a server has rendered. */
const HYDRATING = "export let hydrating = false;";

/** Svelte can take over a page that a server has rendered. Ours has none, so this code, 1.5 KB of the first load, is left out. */
const withoutHydration = {
  name: "without-hydration",
  enforce: "pre" as const,
  transform(code: string, id: string): string | null {
    if (!id.endsWith("/svelte/src/internal/client/dom/hydration.js")) return null;
    if (!code.includes(HYDRATING)) throw new Error(`${id} no longer has "${HYDRATING}": adapt vite.config.ts.`);
    return code.replace(HYDRATING, "export const hydrating = false;").replace("hydrating = value;", "");
  },
};

export default defineConfig({
  plugins: [svelte(), withoutPreload, withoutHydration],
  // Relative addresses: the board may be served below any path prefix.
  base: "./",
  build: {
    outDir: "../lossboard/web",
    emptyOutDir: true,
    target: "es2022",
    // The CSP has no data: sources but for images.
    assetsInlineLimit: 0,
    // One style sheet of 10 KB, and no preloading: the loader for both is more script than they save time on a local server.
    cssCodeSplit: false,
    modulePreload: false,
    // The first load is one file, and so is the views' frame: it packs 3 % smaller than the shell, the charts and their drawing apart, and
    // smaller than the dozen files that it would be cut into, one for each set of lazy parts that share something.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: (id, modules) => (withImports(FIRST_LOAD, modules).has(id) ? "board" : null), priority: 2 },
            { name: (id) => (MENU.includes(id) ? "menu" : null), priority: 2 },
            { name: (id) => (FINDINGS.includes(id) ? "findings" : null), priority: 2 },
            { name: (id, modules) => (ofFrame(id, modules) ? "frame" : null), priority: 1 },
          ],
        },
      },
    },
  },
  server: { proxy: { "/api": process.env.LOSSBOARD_SERVER ?? "http://127.0.0.1:6006" } },
  // Without this condition vitest loads Svelte's server build; with it a build for people would load the development one.
  resolve: process.env.VITEST ? { conditions: ["browser"] } : {},
  // Long, for a busy machine: a test that hangs still fails.
  test: { include: ["src/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 },
});
