/* Findings: marks in the sidebar and on charts, and the Findings tab. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, downloaded, hash, open, PHONE } from "./harness";

const BROKEN = "2026-01-31_001_lr1e-2";

let board: Board;
let page: Page;

const row = (run: string): Locator => page.getByRole("row").filter({ hasText: run });
const markOf = (run: string): Locator => row(run).getByRole("button", { name: /finding/ });
const list = (): Locator => page.getByRole("region", { name: "List of findings" });
const line = (text: string | RegExp): Locator => list().getByRole("button").filter({ hasText: text });
/** The finding that is shown. */
const finding = (code: string): Locator => page.getByRole("article", { name: new RegExp(`^${code} of `) });
const plot = (): Locator => page.getByRole("article", { name: "train/loss" }).locator(".plot");

beforeAll(async () => {
  board = await Board.on("findings");
});

beforeEach(async () => {
  page = await open(board);
  await markOf(BROKEN).waitFor();
});

test("a run with findings is marked, and a click on the mark lists them, the worst first", async () => {
  await expect.poll(() => markOf(BROKEN).getAttribute("title")).toBe("3 findings, the worst: error");
  await expect.poll(() => markOf("002_long").getAttribute("title")).toBe("1 finding, the worst: note");
  await expect.poll(() => markOf("healthy").count()).toBe(0);
  await markOf(BROKEN).click();
  await finding("diverged").waitFor();
  await expect.poll(() => list().getByRole("heading").allInnerTexts()).toEqual(["Errors 1", "Warnings 2"]);
  await finding("diverged").getByText("Lower the learning rate").waitFor();
  await finding("diverged")
    .getByRole("img", { name: /^train\/loss of / })
    .waitFor();
  await page.getByRole("button", { name: `Run ${BROKEN}` }).click();
  await page.getByRole("menuitemradio", { name: "all selected" }).click();
  await line("did not fit in memory").click();
  await finding("memory").waitFor();
});

test("keys go through the findings, and the one that is shown is in the address", async () => {
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Findings" }).waitFor();
  await page.keyboard.press("d");
  await finding("diverged").waitFor();
  await page.keyboard.press("j");
  await finding("not-finite").waitFor();
  await page.reload();
  await finding("not-finite").waitFor();
  await page.keyboard.press("k");
  await finding("diverged").waitFor();
});

test("findings are filtered", async () => {
  await page.keyboard.press("d");
  await line("did not fit in memory").waitFor();
  await page.getByRole("searchbox", { name: "Filter findings" }).fill("diverged");
  await expect.poll(() => line("did not fit in memory").count()).toBe(0);
  await finding("diverged").waitFor();
});

test("a finding without a series opens the charts at its step", async () => {
  await page.keyboard.press("d");
  await finding("diverged").getByRole("button", { name: "Show in Charts" }).click();
  await plot().waitFor();
  await expect.poll(() => hash(page)).toMatch(/^#charts&at=160/);
});

test("a finding that is not a problem is gone everywhere, until it is reported again", async () => {
  const own = await Board.on("findings");
  page = await open(own);
  await expect.poll(() => markOf(BROKEN).getAttribute("title")).toBe("3 findings, the worst: error");
  await page.keyboard.press("d");
  await finding("diverged").getByRole("button", { name: "Not a problem" }).click();
  await finding("not-finite").waitFor();
  await expect.poll(() => markOf(BROKEN).getAttribute("title")).toBe("2 findings, the worst: warning");
  await page.reload();
  await expect.poll(() => line("10 consecutive steps").count()).toBe(0);
  await page.getByRole("switch", { name: "Show dismissed (1)" }).click();
  await line("10 consecutive steps").click();
  await finding("diverged").getByRole("button", { name: "Report again" }).click();
  await expect.poll(() => markOf(BROKEN).getAttribute("title")).toBe("3 findings, the worst: error");
});

test("the list says what could not be judged and how to log it, and a finding what was read", async () => {
  await page.keyboard.press("d");
  await list().getByText("Not judged").click();
  await list().getByText('log.add_scalar("train/grad_norm", norm, step)').waitFor();
  await finding("diverged").getByText("What the doctor read").click();
  await finding("diverged").getByText("train/loss", { exact: true }).last().waitFor();
});

test("a new finding of a running training notifies, if the person wants it and looks elsewhere", async () => {
  const own = await Board.on("findings");
  page = await open(own, "#findings", { permissions: ["notifications"], realTime: true });
  await page.evaluate(() => {
    const shown: string[] = [];
    Object.assign(window, { shown });
    window.Notification = class extends Notification {
      constructor(title: string, options?: NotificationOptions) {
        super(title, options);
        shown.push(`${title} | ${options?.body}`);
      }
    };
  });
  await page.getByRole("switch", { name: "Notify me" }).click();
  await expect.poll(() => page.getByRole("switch", { name: "Notify me" }).getAttribute("aria-checked")).toBe("true");
  await page.evaluate(() => Object.defineProperty(document, "hidden", { value: true }));
  own.log("running", "loss", [1, 0.5]);
  await row("running").waitFor();
  own.write("running", 'log.add_scalar("loss", float("nan"), 2)');
  const shown = (): Promise<string[]> => page.evaluate(() => (window as unknown as { shown: string[] }).shown);
  await expect
    .poll(shown)
    .toEqual([expect.stringMatching(/^running: NaN or infinite values \| loss became NaN at step 2/)]);
});

test("the tooltip of a chart has the message of the finding under the pointer, only there", async () => {
  const message = page.getByRole("tooltip").getByText(/10 consecutive steps/);
  await plot().hover();
  const box = (await plot().boundingBox())!;
  const moveTo = (x: number): Promise<void> => page.mouse.move(box.x + x, box.y + box.height / 2);
  const isFound = async (): Promise<boolean> => {
    for (let x = 60; x < box.width - 4; x += 6) {
      await moveTo(x);
      if (await message.isVisible()) return true;
    }
    return false;
  };
  await expect.poll(isFound, { timeout: 60_000 }).toBe(true);
  await moveTo(60);
  await expect.poll(() => message.count()).toBe(0);
});

test("an exported chart names its findings", async () => {
  await plot().hover();
  await page.getByRole("article", { name: "train/loss" }).getByRole("button", { name: "More" }).click();
  const svg = await downloaded(page, () => page.getByRole("button", { name: "SVG", exact: true }).click());
  expect(svg.bytes.toString()).toContain(">diverged<");
});

test("a finding appears while the run is trained", async () => {
  const own = await Board.on("findings");
  page = await open(own);
  await row("healthy").waitFor();
  const reported = { code: "not-learning", severity: "warning", what: "The loss does not fall.", first_step: 50 };
  appendFileSync(join(own.logdir, "healthy/findings.jsonl"), `${JSON.stringify(reported)}\n`);
  await expect.poll(() => markOf("healthy").count()).toBe(1);
  await markOf("healthy").click();
  await finding("not-learning").getByText("The loss does not fall.").waitFor();
});

test("the doctor marks a run that reports nothing, and shows what is wrong with it", async () => {
  page = await open(await Board.on("sweep"));
  await markOf("bert-lr1e-4-s1").click();
  const found = finding("non-finite");
  await found.getByText("train/loss became NaN at step 600").waitFor();
  await found.getByText("What to try").waitFor();
  await expect.poll(() => list().getByRole("button").count()).toBe(1);
  await found.getByRole("button", { name: "Show in Charts" }).click();
  await expect.poll(() => hash(page)).toMatch(/^#charts&at=600.*&full=train(%2F|\/)loss/);
});

test("a loss that becomes NaN while the page is open marks its run", async () => {
  const own = await Board.on("sweep");
  page = await open(own);
  await markOf("bert-lr1e-4-s1").waitFor();
  own.write("bert-lr2e-5-s1", 'log.add_scalar("train/loss", float("nan"), 1000)');
  await markOf("bert-lr2e-5-s1").click();
  await finding("non-finite").getByText("train/loss became NaN at step 1,000").waitFor();
});

describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
  test("looks as it should, and is accessible", async () => {
    page = await open(board, "#findings", { colorScheme });
    await finding("diverged")
      .getByRole("img", { name: /^train\/loss of / })
      .waitFor();
    await golden(page, `findings-${colorScheme}`);
    await accessible(page);
  });
});

test("marks on charts look as they should", async () => {
  await plot().waitFor();
  await golden(page, "findings-charts");
});

describe("on a phone", () => {
  test("the list leads to a finding and back", async () => {
    page = await open(board, "#findings", { viewport: PHONE });
    await golden(page, "findings-phone");
    await line("10 consecutive steps").click();
    await finding("diverged")
      .getByRole("img", { name: /^train\/loss of / })
      .waitFor();
    await golden(page, "findings-phone-one");
    await page.getByRole("button", { name: "Next finding" }).click();
    await finding("not-finite").waitFor();
    await page.getByRole("navigation", { name: "Findings" }).getByRole("button", { name: "Findings" }).click();
    await line("10 consecutive steps").waitFor();
  });
});
