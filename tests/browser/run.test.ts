/* The page of a run: what it shows, how people get there and back, notes, files and console output. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, downloaded, EVENT_MS, hash, type Look, open, PHONE, settled } from "./harness";

const RUN = "bert-lr1e-4-s1";

let board: Board;
let page: Page;

const part = (name: string): Locator => page.getByRole("region", { name, exact: true });
const title = (name: string): Locator => page.getByRole("heading", { name, level: 1 });

beforeAll(async () => {
  board = await Board.on("pages");
});

/** Opens the page from the table, once its rows have stopped moving. */
async function openRun(on = board, run = RUN, look: Look = {}): Promise<void> {
  page = await open(on, "#table", look);
  await page.locator("[role=grid][aria-busy=false], [role=list]").first().waitFor();
  await settled(page);
  await page.getByRole("link", { name: run }).click();
  await title(run).waitFor();
  await part("Metrics").waitFor();
}

test("opens from the menu of its row, is linkable, and leads back", async () => {
  page = await open(board, "#charts");
  const row = page.getByRole("treegrid", { name: "Runs" }).getByRole("row", { name: RUN });
  await row.click({ button: "right" });
  await page.getByRole("menuitem", { name: /^Open page of the run/ }).click();
  await title(RUN).waitFor();
  const address = hash(page);
  await page.getByRole("button", { name: "Charts" }).click();
  await expect.poll(() => hash(page)).toMatch(/^#charts/);
  await page.goBack();
  await title(RUN).waitFor();
  page = await open(board, address);
  await title(RUN).waitFor();
});

test("shows config, metrics with their rank, environment, findings and files", async () => {
  await openRun();
  await part("Config").getByText("weight_decay").waitFor();
  await part("Config").getByRole("searchbox").fill("adamw");
  await expect.poll(() => part("Config").locator("dt").allInnerTexts()).toEqual(["name"]);
  await expect
    .poll(() =>
      part("Metrics")
        .getByRole("row", { name: /train\/loss/ })
        .innerText(),
    )
    .toContain("12 of 12");
  await part("Environment").getByText("3f9c2e1").waitFor();
  await part("Environment").getByText("python train.py --model bert").waitFor();
  await part("Findings").getByText("10 consecutive steps").waitFor();
  await part("Files").getByText("1 file · 200 kB").waitFor();
  await part("Findings").getByRole("button", { name: "Open Findings" }).click();
  await expect.poll(() => hash(page)).toMatch(/^#findings/);
});

test("the previous and next runs are a key away", async () => {
  await openRun();
  await page.keyboard.press("j");
  await title("bert-lr1e-4-s2").waitFor();
  await page.keyboard.press("k");
  await title(RUN).waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => hash(page)).toMatch(/^#table/);
});

test("a note is written in Markdown, and a name is changed", async () => {
  const own = await Board.on("pages");
  await openRun(own);
  await page.getByRole("button", { name: "Add a note" }).click();
  await page
    .getByRole("textbox", { name: "Note, in Markdown" })
    .fill("Reference for **figure 2** <script>alert(1)</script>");
  await page.keyboard.press("Control+Enter");
  await part("Summary").locator("strong", { hasText: "figure 2" }).waitFor();
  expect(await part("Summary").locator("script").count()).toBe(0);
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: `New name of ${RUN}` }).fill("reference");
  await page.keyboard.press("Enter");
  await title("reference").waitFor();
});

test("console output follows the end of the file, and is downloaded whole", async () => {
  const own = await Board.on("pages");
  own.log(RUN, "train/loss", [0.5], 2000);
  await openRun(own, RUN, { realTime: true });
  const output = page.getByRole("log", { name: "Output of console.log" });
  await output.getByText("saved checkpoint-900").waitFor();
  const fromEnd = (): Promise<number> => output.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
  await expect.poll(fromEnd).toBeLessThan(2);
  appendFileSync(join(own.logdir, RUN, "console.log"), "early stop at step 2000\n");
  await expect.poll(() => output.innerText(), { timeout: EVENT_MS }).toContain("early stop at step 2000");
  await expect.poll(fromEnd).toBeLessThan(2);
  await output.evaluate((box) => (box.scrollTop = 0));
  await page.getByRole("switch", { name: "Follow" }).and(page.locator("[aria-checked=false]")).waitFor();
  const { name, bytes } = await downloaded(page, () =>
    page.getByRole("button", { name: "Download console.log" }).click(),
  );
  expect(name).toBe("console.log");
  expect(bytes.toString()).toContain("early stop at step 2000");
});

test("it is compared with another run", async () => {
  await openRun();
  await page.getByRole("button", { name: "Compare…" }).click();
  await page.getByRole("searchbox", { name: "Find a run" }).fill("roberta s3");
  await page.keyboard.press("Enter");
  await page.getByText("Compare 2 runs").waitFor();
  await page.getByRole("columnheader", { name: /roberta-lr3e-5-s3/ }).waitFor();
});

test("a run that is not in the logdir is explained", async () => {
  page = await open(board, "#run&run=nothing");
  await page.getByText("This run is not in the logdir").waitFor();
});

test("a run without config, environment and console says how to log them", async () => {
  await openRun(await Board.on("one"), "only");
  await part("Config").getByText("No config was logged.").waitFor();
  await part("Environment").getByText("environment.json").waitFor();
  expect(await part("Console").count()).toBe(0);
});

describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
  test("looks as it should, and is accessible", async () => {
    await openRun(board, RUN, { colorScheme });
    await page.getByRole("log").getByText("saved checkpoint-900").waitFor();
    await golden(page, `run-${colorScheme}`);
    await page.keyboard.press("b"); // without the sidebar, which has tests of its own
    await accessible(page);
  });
});

test("looks as it should on a phone", async () => {
  await openRun(board, RUN, { viewport: PHONE });
  await golden(page, "run-phone");
  await accessible(page);
});
