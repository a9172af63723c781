/* The shell around every view: header, command palette, shortcuts, theme, URL state, saved views, connection. */
import { rmSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import {
  Board,
  DESK,
  downloaded,
  EVENT_MS,
  expectProblems,
  hash,
  open,
  PHONE,
  settled,
  steadyBox,
  tap,
} from "./harness";

let board: Board;
let page: Page;

beforeAll(async () => {
  board = await Board.on("few");
});

/** Hides the view, also parts that load later. The views have golden screens of their own. */
const blank = (page: Page) =>
  page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("main > * { visibility: hidden !important; }");
    document.adoptedStyleSheets.push(sheet);
  });
const ready = (page: Page) => page.getByRole("rowheader", { name: "bert-lr2e-5-s1" }).waitFor();

describe("at a desk", () => {
  beforeEach(async () => {
    page = await open(board);
    await ready(page);
  });

  test("the tab names the view, and the title names view and logdir", async () => {
    await expect
      .poll(() =>
        page
          .getByRole("navigation", { name: "Views" })
          .getByRole("link", { name: "Charts" })
          .getAttribute("aria-current"),
      )
      .toBe("page");
    await expect.poll(() => page.title()).toMatch(/^Charts · .* · Lossboard$/);
  });

  test("the command palette finds actions and runs with the keyboard alone", async () => {
    const words = page.getByRole("combobox", { name: /Search actions/ });
    await page.keyboard.press("Control+k");
    await words.waitFor();
    await page.keyboard.type("roberta");
    await page.getByRole("option", { name: /roberta-lr3e-5-s1/ }).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(".cnt").innerText()).toBe("1 of 8");
    await page.keyboard.press("Control+k");
    await words.waitFor();
    await page.keyboard.type("show all");
    await page
      .getByRole("option", { name: /Show all/ })
      .first()
      .waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(".cnt").innerText()).toBe("8 of 8");
  });

  test("the dialog of keyboard shortcuts lists the actions", async () => {
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    for (const title of ["Search or run a command", "Filter runs", "Toggle theme", "Rename", "Images"])
      await keys.getByText(title, { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await keys.waitFor({ state: "detached" });
  });

  test("the theme follows the system until one is chosen, which is remembered", async () => {
    const ground = (color: string) =>
      expect.poll(() => page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(color);
    await ground("rgb(246, 247, 249)");
    await page.emulateMedia({ colorScheme: "dark" });
    await ground("rgb(13, 15, 18)");
    await page.keyboard.press("t");
    await ground("rgb(246, 247, 249)");
    await page.reload();
    await ground("rgb(246, 247, 249)");
  });

  test.each(["light", "dark"] as const)("a chosen %s theme is set before the first paint", async (chosen) => {
    await page.emulateMedia({ colorScheme: chosen === "light" ? "dark" : "light" });
    // Without quotes, as earlier versions wrote it.
    await page.evaluate((chosen) => localStorage.setItem("lossboard.theme", chosen), chosen);
    await page.route("**/assets/shell-*.js", (route) => route.abort());
    expectProblems(/ERR_FAILED/);
    await page.reload();
    // The page's own script has not run, so that nothing but theme.js can have set it.
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe(chosen);
    await expect.poll(() => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe(chosen);
  });

  test("the sidebar collapses, expands and resizes, and remembers it", async () => {
    const panel = page.getByRole("complementary", { name: "Runs", exact: true });
    const width = async () => Math.round((await panel.boundingBox())?.width ?? 0);
    // The handle loads with the first movement of the pointer.
    await page.mouse.move(200, 400);
    const grip = await steadyBox(page.getByRole("separator"));
    await page.mouse.move(grip.x + 2, 400);
    await page.mouse.down();
    await page.mouse.move(grip.x + 102, 400, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => width()).toBe(404);
    await page.reload();
    await ready(page);
    await expect.poll(() => width()).toBe(404);
    await page.keyboard.press("b");
    await page.getByRole("complementary", { name: "Runs, collapsed" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("bert");
    await expect.poll(() => page.locator(".cnt").innerText()).toBe("4 of 8");
    await page.getByRole("separator").dblclick();
    await expect.poll(() => width()).toBe(304);
  });

  test("a copied link shows the same to someone else", async () => {
    await page.getByRole("checkbox", { name: "Show bert-lr2e-5-s1" }).click();
    await expect.poll(() => page.locator(".cnt").innerText()).toBe("7 of 8");
    await page.keyboard.press("c");
    await page.getByText("Link copied").waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const other = await open(board, link.slice(link.indexOf("#")));
    await expect.poll(() => other.locator(".cnt").innerText()).toBe("7 of 8");
  });

  test("a view is saved, changed, reverted, opened and deleted", async () => {
    // All pages of a board see its saved views, so this test has its own board.
    const own = await Board.on("few");
    page = await open(own);
    await ready(page);
    const view = page.getByRole("button", { name: /^View/ });
    await page.getByRole("searchbox", { name: "Filter runs" }).fill("bert");
    await view.click();
    await page.getByRole("menuitem", { name: "Save as a new view…" }).click();
    await page.getByRole("dialog", { name: "Save as a new view" }).getByRole("textbox").fill("only bert");
    await page.keyboard.press("Enter");
    // The name is on screen before the server has it.
    await page.getByText("Saved as only bert").waitFor();
    await expect.poll(() => view.innerText()).toMatch(/only bert$/);
    await page.getByRole("searchbox", { name: "Filter runs" }).fill("search");
    await expect.poll(() => view.innerText()).toMatch(/changed/);
    await view.click();
    await page.getByRole("menuitem", { name: "Discard changes" }).click();
    await expect.poll(() => page.locator(".cnt").innerText()).toBe("4 of 8");
    const other = await open(own);
    await ready(other);
    await other.getByRole("button", { name: /^View/ }).click();
    await other.getByRole("menuitemradio", { name: "only bert" }).click();
    await expect.poll(() => other.locator(".cnt").innerText()).toBe("4 of 8");
    await view.click();
    await page.getByRole("menuitemradio", { name: /only bert/ }).hover();
    await page.getByRole("button", { name: "Delete the view only bert" }).click();
    await page.getByText("Deleted the view only bert").waitFor();
  });

  test("a click outside, and Escape, close a menu; its own button closes it too", async () => {
    const view = page.getByRole("button", { name: /^View/ });
    const menu = page.getByRole("menu", { name: "Saved views" });
    for (const close of [() => page.mouse.click(700, 600), () => page.keyboard.press("Escape"), () => view.click()]) {
      await view.click();
      await menu.waitFor();
      await close();
      await menu.waitFor({ state: "detached" });
    }
  });
});

test.each([
  ["#scalars&regexInput=roberta&_smoothingWeight=0.8", "1 of 8"],
  ["?runFilter=%5Ebert&smoothing=0.9#timeseries", "3 of 8"],
])("TensorBoard's link %s is understood", async (link, count) => {
  page = await open(board, link);
  await expect.poll(() => page.locator(".cnt").innerText()).toBe(count);
  await expect.poll(() => hash(page)).toMatch(/^#charts&.*smooth=0\.[89]/);
});

test("a lost connection shows a banner and keeps the data on screen until it is back", async () => {
  const own = await Board.on("few");
  page = await open(own, "", { realTime: true });
  await ready(page);
  await page.getByRole("region", { name: "Charts by group" }).waitFor();
  await settled(page);
  expectProblems(/net::ERR_(CONNECTION_\w+|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)/);
  await own.stop();
  await page.getByText(/Disconnected for/).waitFor();
  await ready(page);
  // While the board is down: once it is up again, the page may reconnect before the click.
  await Promise.all([
    page.waitForRequest("**/api/live", { timeout: EVENT_MS }),
    page.getByRole("button", { name: "Retry now" }).click(),
  ]);
  await own.start();
  await page.getByText(/Disconnected for/).waitFor({ state: "detached" });
  await ready(page);
});

test("a board with a token opens by its link, and without the token the page says what is missing", async () => {
  // Short for 127.0.0.1. The board does not recognize it as loopback, so it makes a token, but only this machine can reach it.
  const own = await Board.on("one", "--host", "127.1");
  const link = new URL(own.url);
  own.url = `${link.origin}/`;
  expectProblems(/401/);
  page = await open(own);
  await page.getByRole("heading", { name: "Could not load the logdir" }).waitFor();
  await page.getByText("Open the link printed in the terminal when Lossboard started").waitFor();
  await page.goto(link.href);
  await page.getByRole("rowheader", { name: "only" }).waitFor();
  expect(page.url()).not.toContain("token");
  await expect.poll(() => page.evaluate(() => document.cookie)).toBe("");
  await page.reload();
  await page.getByRole("rowheader", { name: "only" }).waitFor();
});

test("a page opened while the logdir is still loading shows the runs when they are there", async () => {
  const context = await open(board).then((first) => first.context());
  page = await context.newPage();
  let asked = 0;
  await page.route("**/api/board", async (route) => {
    if (asked++ > 0) return route.continue();
    const answer = await route.fetch();
    await route.fulfill({
      response: answer,
      json: { ...((await answer.json()) as object), runs: [], kinds: {}, cursor: 0, loading: true },
    });
  });
  await page.goto(board.url);
  await ready(page);
  await page.getByRole("region", { name: "Charts by group" }).waitFor();
});

test("a view without data says how to log some, and opens with the first record", async () => {
  const own = await Board.on("one");
  page = await open(own, "", { realTime: true });
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: /Text/ }).click();
  await page.getByRole("heading", { name: "No text logged yet" }).waitFor();
  await page.getByText("log.add_text").waitFor();
  own.write("only", 'log.add_text("note", "hello", 1)');
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Text" }).waitFor();
  await page.getByRole("heading", { name: "No text logged yet" }).waitFor({ state: "detached" });
});

test("the script of the first load, without any interaction, is at most 60 KB compressed", async () => {
  // With a fixed clock the browser does not list what it fetched.
  page = await open(board, "", { realTime: true });
  const plot = page.locator("article .plot").first();
  await expect.poll(() => plot.getAttribute("aria-label")).toMatch(/\d lines?$/);
  // What loads as soon as the browser is idle counts as well.
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  const urls = await page.evaluate(() => performance.getEntriesByType("resource").map((entry) => entry.name));
  const scripts = urls.filter((url) => new URL(url).pathname.endsWith(".js"));
  const sizes = await Promise.all(
    scripts.map(
      async (url) => [new URL(url).pathname, gzipSync(await (await fetch(url)).text(), { level: 9 }).length] as const,
    ),
  );
  expect(sizes.map(([path]) => path)).toContainEqual(expect.stringMatching(/\/board-[^/]+$/));
  const sum = sizes.reduce((sum, [, size]) => sum + size, 0);
  expect(sum, JSON.stringify(sizes)).toBeLessThanOrEqual(60 * 1024);
});

describe("command palette", () => {
  const palette = () => page.getByRole("dialog", { name: "Command palette" });
  const options = () => palette().getByRole("option").locator(".name").allInnerTexts();

  async function search(words: string): Promise<void> {
    await page.keyboard.press("Control+k");
    await palette().waitFor();
    await page.keyboard.type(words);
  }

  beforeEach(async () => {
    page = await open(board, "#charts");
    await ready(page);
  });

  test("before typing, it suggests commands and no tags", async () => {
    await search("");
    await expect
      .poll(async () => (await options()).slice(0, 7))
      .toEqual([
        "Filter runs",
        "Filter tags",
        "Smoothing…",
        "X axis…",
        "Columns…",
        "Export all charts as PNG",
        "Save view…",
      ]);
    expect(await palette().getByText("Tags", { exact: true }).count()).toBe(0);
  });

  test("it gets the commands of a tab that opens later", async () => {
    page = await open(board, "#histograms");
    await ready(page);
    await search("");
    await page.evaluate(() => (location.hash = "#charts"));
    await expect.poll(options).toContain("Smoothing…");
  });

  test.each([
    ["smoothing 0.85", "Smoothing: 0.85", /smooth=0\.85/],
    ["wall", "X axis: wall time", /x=wall/],
    ["columns 3", "Columns: 3", /cols=3/],
  ])("%s is found, and sets it", async (words, title, state) => {
    await search(words);
    await palette().getByRole("option", { name: title }).click();
    await expect.poll(() => hash(page)).toMatch(state);
  });

  // What people type who know TensorBoard or Weights & Biases.
  test.each([
    ["log scale", "Y axis of all charts: log scale"],
    ["logarithmic", "Y axis of all charts: log scale"],
    ["horizontal axis", "X axis…"],
    ["relative", "X axis: relative time"],
    ["gaussian", "Smoothing method: Gaussian"],
    ["running average", "Smoothing method: Running mean"],
    ["exponential moving average", "Smoothing…"],
    ["outliers", "Toggle ignore outliers"],
    ["card width", "Columns…"],
    ["download csv", "Export all charts…"],
    ["screenshot", "Export all charts as PNG"],
    ["add panel", "New chart…"],
    ["step selection", "Toggle link zoom"],
    ["search panels", "Filter tags"],
    ["fit domain", "Reset zoom"],
    ["empty", "Show or hide charts without data"],
    ["dark mode", "Toggle theme"],
    ["share", "Copy link"],
    ["workspace", "Save view…"],
    ["undelete", "Trash: restore deleted runs…"],
    ["scalars", "Charts"],
  ])("%s is found as %s", async (words, title) => {
    await search(words);
    await expect.poll(options).toContain(title);
  });

  test("the log scale of all charts can be set, and a chart keeps its own", async () => {
    page = await open(board, `#charts&cards={"eval/accuracy":{"y":"linear"}}`);
    await ready(page);
    await search("log scale");
    await palette().getByRole("option", { name: "Y axis of all charts: log scale", exact: true }).click();
    await expect.poll(() => hash(page)).toContain("yscale=log");
    await page.locator("article .chip").first().waitFor();
    await expect.poll(() => page.locator('[data-card="eval/accuracy"] .chip').count()).toBe(0);
  });

  test("an entry with an ellipsis lists the values of its setting", async () => {
    await search("smoothing");
    await palette().getByRole("option", { name: "Smoothing…" }).click();
    await palette().getByRole("option", { name: "Smoothing: 0.9", exact: true }).waitFor();
  });

  test("save view asks for a name", async () => {
    await search("save view");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Save as a new view" }).waitFor();
  });

  test("PNG exports all charts", async () => {
    await search("png");
    const { name } = await downloaded(page, () => page.keyboard.press("Enter"));
    expect(name).toMatch(/\.png$/);
  });
});

test("a removed logdir says so", async () => {
  const own = await Board.on("one");
  page = await open(own, "", { realTime: true });
  await page.getByRole("region", { name: "Charts by group" }).waitFor();
  rmSync(own.logdir, { recursive: true });
  await page.getByRole("heading", { name: "The logdir does not exist" }).waitFor();
  await page.getByText("does not exist", { exact: true }).waitFor();
});

test("a logdir with nothing but the data of an unknown plugin shows its tensors", async () => {
  page = await open(await Board.on("unknown-plugin"));
  await page.getByRole("region", { name: "List of tensors" }).getByRole("button", { name: "thing" }).waitFor();
});

test("pinned cards of TensorBoard's links are pinned", async () => {
  const cards = encodeURIComponent('[{"plugin":"scalars","tag":"train/loss"}]');
  page = await open(board, `?pinnedCards=${cards}#timeseries`);
  await page.getByRole("region", { name: "Pinned" }).locator('[data-card="train/loss"]').waitFor();
  await expect.poll(() => hash(page)).toContain("pins=train/loss");
});

test("hostile names are text", async () => {
  const own = await Board.on("one");
  own.log('<img src=x onerror=alert(1)> "quoted" &amp;', "train/loss", [1]);
  page = await open(own, "", { realTime: true });
  await page.getByRole("rowheader", { name: '<img src=x onerror=alert(1)> "quoted" &amp;' }).waitFor();
  await settled(page);
  expect(await page.locator("img").count()).toBe(0);
});

describe.each(["light", "dark"] as const)("looks in %s", (colorScheme) => {
  test("sidebar and header", async () => {
    page = await open(board, "", { colorScheme, viewport: DESK });
    await ready(page);
    await accessible(page);
    await blank(page);
    await golden(page, `shell-${colorScheme}`);
  });

  test("menu, command palette and shortcuts", async () => {
    page = await open(board, "", { colorScheme });
    await ready(page);
    await page.getByRole("rowheader", { name: "bert-lr3e-5-s1", exact: true }).first().click({ button: "right" });
    await page.getByRole("menu").waitFor();
    await accessible(page);
    await blank(page);
    await golden(page, `menu-${colorScheme}`);
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await page.getByRole("listbox").waitFor();
    await accessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("listbox").waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await accessible(page);
  });

  test("on a phone the runs are a sheet", async () => {
    page = await open(board, "", { colorScheme, viewport: PHONE, hasTouch: true, isMobile: true });
    const sheet = page.getByRole("dialog", { name: "Runs" });
    await tap(page.getByRole("button", { name: /^Runs/ }), () => sheet.isVisible());
    await sheet.getByRole("rowheader", { name: "bert-lr2e-5-s1" }).waitFor();
    await accessible(page);
    await blank(page);
    await golden(page, `phone-runs-${colorScheme}`);
    const box = sheet.getByRole("checkbox", { name: "Show bert-lr2e-5-s1" });
    await tap(box, async () => !(await box.isChecked()));
    await tap(sheet.getByRole("button", { name: "Close", exact: true }), () => sheet.isHidden());
    await page.getByRole("button", { name: /^Runs\s*7 of 8/ }).waitFor();
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
  });

  test("an empty logdir shows what is watched, and code that logs something", async () => {
    const empty = await Board.on("none");
    page = await open(empty, "", { colorScheme });
    await page.getByRole("heading", { name: "No runs yet" }).waitFor();
    await accessible(page);
    await page.getByText(empty.logdir).first().waitFor();
    await page.getByRole("button", { name: "torch" }).click();
    await page.getByText("torch.utils.tensorboard").waitFor();
    await page.evaluate(() => document.querySelectorAll(".watch b, pre").forEach((node) => (node.textContent = "")));
    await golden(page, `empty-${colorScheme}`);
    empty.log("first", "train/loss", [1, 0.5]);
    await page.getByRole("rowheader", { name: "first" }).waitFor();
  });
});
