/* A copy of `kinds/_skeleton` is a working view once it has an entry in `kinds/index.ts`. */
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Board, hash, newFolder, open, python, ROOT } from "./harness";

const COPIED_KIND = join(ROOT, "tests/copied_kind.py");
const ENTRY = `
  {
    id: "gauges",
    title: "Gauges",
    task: "System",
    icon: "pulse",
    key: "Shift+9",
    ...needs("gauges"),
    load: () => import("./gauges/View.svelte"),
  },
];
`;

/** Copies the UI, does what the instructions for a new view say, and builds it. Returns the folder of the build. */
function buildUi(folder: string): string {
  for (const name of ["src", "public", "index.html", "package.json", "vite.config.ts"])
    cpSync(join(ROOT, "ui", name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, "ui/node_modules"), join(folder, "node_modules"));
  const [kinds, web] = [join(folder, "src/kinds"), join(folder, "web")];
  const view = readFileSync(join(kinds, "_skeleton/View.svelte"), "utf8");
  cpSync(join(kinds, "_skeleton"), join(kinds, "gauges"), { recursive: true });
  writeFileSync(join(kinds, "gauges/View.svelte"), view.replaceAll("skeleton", "gauges"));
  const index = readFileSync(join(kinds, "index.ts"), "utf8");
  writeFileSync(join(kinds, "index.ts"), index.replace(/\n\];\n/, ENTRY));
  const vite = join(ROOT, "ui/node_modules/vite/bin/vite.js");
  execFileSync(process.execPath, [vite, "build", "--outDir", web, "--logLevel", "error"], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: "production", VITEST: undefined },
    stdio: ["ignore", "ignore", "inherit"],
  });
  return web;
}

test("a copied skeleton is a view: it has a tab, lists its series, follows the step and updates", async () => {
  const logdir = newFolder("gauges-");
  const [ui, kinds] = [newFolder("ui-"), newFolder("kinds-")];
  python(COPIED_KIND, "copy", "gauges", kinds);
  python(COPIED_KIND, "write", "gauges", join(logdir, "engine"), "0", "5");
  const script = join(ROOT, "tests/browser/serve_copied_kind.py");
  const board = await Board.launch(new Board(logdir, [], [script, "gauges", kinds, buildUi(ui)]));
  const page = await open(board, "", { realTime: true });
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Gauges" }).click();
  const group = page.getByRole("region", { name: "oil" });
  await expect.poll(() => group.locator("p").innerText()).toMatch(/engine\s+step 5/);
  await page.getByRole("slider", { name: "Step" }).focus();
  await page.keyboard.press("Home");
  await expect.poll(() => group.locator("p").innerText()).toMatch(/engine\s+step 0/);
  await expect.poll(() => hash(page)).toContain("gauges.step=0");
  await page.keyboard.press("End");
  python(COPIED_KIND, "write", "gauges", join(logdir, "engine"), "9");
  await expect.poll(() => group.locator("p").innerText()).toMatch(/engine\s+step 9/);
  await page.getByRole("searchbox", { name: "Filter tags" }).fill("water");
  await group.waitFor({ state: "detached" });
});
