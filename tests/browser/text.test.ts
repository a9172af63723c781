/* The Text tab. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, downloaded, hash, open, PHONE } from "./harness";

let board: Board;
let page: Page;

const card = (tag: string, run: string): Locator =>
  page.getByRole("article", { name: new RegExp(`^${tag}.* of ${run}$`) });
const report = (): Locator => card("report", "bert-s1");

const showAs = async (mode: string): Promise<void> => {
  await page.getByRole("button", { name: /^Show as/ }).click();
  await page.getByRole("menuitemradio", { name: mode }).click();
};

beforeAll(async () => {
  board = await Board.on("things");
});

beforeEach(async () => {
  page = await open(board, "#text");
  await report().getByRole("heading", { name: "Step 950" }).waitFor();
});

test("renders markdown, and nothing in it runs", async () => {
  await expect.poll(() => report().locator(".html strong").innerText()).toBe("0.880");
  await expect.poll(() => report().locator("script").count()).toBe(0);
});

test("shows a config as a tree that can be collapsed", async () => {
  const config = card("config", "bert-s1");
  await config.getByText("layers").waitFor();
  await config.getByRole("button", { name: /^model/ }).click();
  await expect.poll(() => config.getByText("layers").count()).toBe(0);
});

test("shows what changed since the previous step, and between runs", async () => {
  await page.getByRole("button", { name: "Compare with nothing" }).click();
  await page.getByRole("menuitemradio", { name: "previous step" }).click();
  await report().getByText("4 lines changed").waitFor();
  await expect.poll(() => report().locator("tr.gone .text").first().innerText()).toBe("# Step 900");
  await page.getByRole("button", { name: "Compare with previous step" }).click();
  await page.getByRole("menuitemradio", { name: "bert-s2" }).click();
  await report().getByText("No changes").waitFor();
  await expect.poll(() => hash(page)).toContain("text.against=");
});

test("finds words at any step, and opens that step", async () => {
  const field = page.getByRole("searchbox", { name: "Search in text" });
  await field.fill("step 300");
  await field.press("Enter");
  await page.getByRole("region", { name: "Search results" }).getByRole("button").first().click();
  await report().getByRole("heading", { name: "Step 300" }).waitFor();
});

test("shows the source as logged, also by a shortcut, and copies it", async () => {
  await showAs("source");
  await expect.poll(() => report().locator("pre").innerText()).toContain("<script>alert(1)</script>");
  await report().getByRole("button", { name: "Copy" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("<script>alert(1)</script>");
  await page.keyboard.press("s");
  await page.getByRole("button", { name: "Show as rendered" }).waitFor();
});

test("shows the source of a text that takes too long to render, and says so", async () => {
  const own = await Board.on("none");
  own.write("run", "log.add_text('slow', '[' * 100_000, 0); log.add_text('fast', '*fast*', 0)");
  page = await open(own, "#text");
  await card("slow", "run").getByText("Too complex to render").waitFor();
  await expect.poll(() => card("slow", "run").locator("pre").innerText()).toBe("[".repeat(100_000));
  await expect.poll(() => card("fast", "run").locator("em", { hasText: "fast" }).count()).toBe(1);
});

test("shows YAML as a tree on request", async () => {
  const own = await Board.on("none");
  own.write("run", "log.add_text('config', 'lr: 3e-5\\nmodel:\\n  layers: 6', 0)");
  page = await open(own, "#text");
  await expect.poll(() => card("config", "run").locator("pre").innerText()).toBe("lr: 3e-5\nmodel:\n  layers: 6");
  await showAs("tree");
  await card("config", "run")
    .getByRole("button", { name: /^model/ })
    .waitFor();
});

test("filters tags", async () => {
  await page.getByRole("searchbox", { name: "Filter tags" }).fill("conf");
  await expect.poll(() => page.getByRole("article").count()).toBe(2);
  await expect.poll(() => report().count()).toBe(0);
  await page.getByRole("searchbox", { name: "Filter tags" }).fill("nothing");
  await page.getByText("No results for “nothing”").waitFor();
});

test("compares only with runs that have text", async () => {
  const own = await Board.on("batches");
  page = await open(own, "#text");
  await page.getByRole("article").first().waitFor();
  await page.getByRole("button", { name: "Compare with nothing" }).click();
  await expect
    .poll(() => page.getByRole("menuitemradio").allInnerTexts())
    .toEqual(["nothing", "previous step", "first step", "batch"]);
});

const SAMPLES: Record<string, string> = {
  tokens: "<s> the quick <unk> fox <pad> jumps </s>",
  dialog: "Q: what?\nA: this\nQ: why?\nA: because",
  list: "- lr: 3e-5\n- seed: 1",
  code: "def f(x):\n    if x:\n        return 1",
  json: '{"b": 1.0, "deep": {"deeper": {"deepest": {"word": "x"}}}, "b": 2}',
};

test("shows every word that was logged", async () => {
  const own = await Board.on("none");
  for (const [tag, text] of Object.entries(SAMPLES))
    own.write("run", `log.add_text(${JSON.stringify(tag)}, ${JSON.stringify(text)}, 0)`);
  page = await open(own, "#text");
  const body = (tag: string): Promise<string> => card(tag, "run").locator(".body").innerText();
  for (const [tag, text] of Object.entries(SAMPLES)) {
    const missing = async (): Promise<string[]> => {
      const shown = await body(tag);
      return text.match(/\w+/g)!.filter((word) => !shown.includes(word));
    };
    await expect.poll(missing).toEqual([]);
  }
  for (const tag of ["tokens", "dialog", "code"]) await expect.poll(() => body(tag)).toBe(SAMPLES[tag]);
  await expect.poll(() => card("list", "run").locator(".html li").allInnerTexts()).toEqual(["lr: 3e-5", "seed: 1"]);
});

test("lists all steps, newest first", async () => {
  await page.getByRole("searchbox", { name: "Search in text" }).fill("accuracy");
  await page.getByRole("switch", { name: "All steps" }).click();
  await expect
    .poll(async () => (await report().getByRole("heading", { level: 1 }).allInnerTexts()).slice(0, 3))
    .toEqual(["Step 950", "Step 900", "Step 850"]);
  await expect.poll(() => hash(page)).toContain("text.every=1");
});

test("downloads a text, a config as JSON, and all texts as a zip", async () => {
  const save = (button: string, choice: string) => async (): Promise<void> => {
    await page.getByRole("button", { name: button }).click();
    await page.getByRole("menuitem", { name: choice }).click();
  };
  const note = await downloaded(page, save("Download report of bert-s1", "As logged"));
  expect(note.name).toBe("report-950.md");
  expect(note.bytes.toString()).toContain("# Step 950");
  const config = await downloaded(page, save("Download config of bert-s2", "Tree"));
  expect(JSON.parse(config.bytes.toString())).toEqual({ model: { layers: 6, name: "bert-s2" }, lr: 3e-5 });
  expect(
    (await downloaded(page, save("Download texts", "All steps of these texts"))).bytes.includes(
      "bert-s1/report/text_summary/0/0.md",
    ),
  ).toBe(true);
});

describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
  test("looks as it should, and is accessible", async () => {
    page = await open(board, "#text", { colorScheme });
    await report().getByRole("heading", { name: "Step 950" }).waitFor();
    await golden(page, `text-${colorScheme}`);
    await accessible(page);
  });
});

test("fits a phone", async () => {
  page = await open(board, "#text", { viewport: PHONE });
  await report().getByRole("heading", { name: "Step 950" }).waitFor();
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  await golden(page, "text-phone");
  await page.getByRole("button", { name: "Compare nothing" }).click();
  await page.getByRole("dialog", { name: "Text" }).getByRole("button", { name: "Show as rendered" }).click();
  await page.getByRole("menuitemradio", { name: "source" }).click();
  await expect.poll(() => hash(page)).toContain("text.source=1");
});
