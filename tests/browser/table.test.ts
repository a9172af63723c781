/* The Table tab: columns, order, filters, selection, comparison and copies. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, downloaded, EVENT_MS, hash, open, PHONE, settled } from "./harness";

let board: Board;
let page: Page;

const grid = (): Locator => page.getByRole("grid", { name: "Runs and facts about them" });
const header = (name: string | RegExp): Locator => grid().getByRole("columnheader", { name });
const rows = (): Locator =>
  grid()
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader") });
const names = (): Promise<string[]> =>
  rows()
    .locator("a")
    .evaluateAll((links) => links.map((link) => link.textContent.trim()));
const titles = (): Promise<string[]> =>
  grid()
    .locator("[role=columnheader] .title b")
    .evaluateAll((all) => all.map((one) => one.textContent.trim()));
const cellsOf = (place: number): Locator => rows().nth(place).getByRole("gridcell");
const filter = (): Locator => page.getByRole("searchbox", { name: "Filter runs" });

async function openTable(more = ""): Promise<void> {
  page = await open(board, `#table${more}`);
  await grid().and(page.locator("[aria-busy=false]")).waitFor();
}

async function pick(...places: number[]): Promise<void> {
  for (const place of places) await cellsOf(place).first().click();
  await page.getByRole("toolbar", { name: "Selected runs" }).getByText(`${places.length} selected`).waitFor();
}

beforeAll(async () => {
  board = await Board.on("pages");
});

beforeEach(async () => {
  await openTable();
});

test("the tab has a key, and starts with metrics, a curve and what differs", async () => {
  page = await open(board, "#charts");
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Table" }).waitFor();
  await page.keyboard.press("2");
  await expect.poll(titles).toContain("seed");
  // Whether a column is equal everywhere is known when its values have arrived.
  await expect.poll(titles).not.toContain("epochs");
  expect((await titles()).slice(0, 3)).toEqual(["eval/accuracy", "train/loss", "eval/accuracy"]);
  await page.getByRole("button", { name: /^Show/ }).click();
  await expect.poll(titles).toContain("epochs");
  expect(hash(page)).toContain("t.equal=1");
});

test("a title sorts, and with Shift after the columns that are sorted by already", async () => {
  await header(/^lr/).getByRole("button").first().click();
  await expect.poll(() => header(/^lr/).getAttribute("aria-sort")).toBe("ascending");
  await expect.poll(async () => (await names())[0]).toContain("lr2e-5");
  await header(/^seed/)
    .getByRole("button")
    .first()
    .click({ modifiers: ["Shift"] });
  await expect
    .poll(async () => (await names()).slice(0, 3))
    .toEqual(["bert-lr2e-5-s1", "bert-lr2e-5-s2", "bert-lr2e-5-s3"]);
  await header(/^seed/)
    .getByRole("button")
    .first()
    .click({ modifiers: ["Shift"] });
  await expect
    .poll(async () => (await names()).slice(0, 3))
    .toEqual(["bert-lr2e-5-s3", "bert-lr2e-5-s2", "bert-lr2e-5-s1"]);
  const order = await names();
  await openTable(hash(page).slice("#table".length));
  await expect.poll(names).toEqual(order);
});

test("the best value of a metric is marked, in the direction of its name or another one", async () => {
  const best = async (): Promise<string> => {
    const row = rows().filter({ has: page.locator("[aria-colindex='2'] [aria-label=best]") });
    return (await row.locator("a").allTextContents()).join().trim();
  };
  await expect.poll(best).toBe((await names())[0]);
  await header(/^eval\/accuracy max/).hover();
  await page.getByRole("button", { name: /^Column eval\/accuracy, max/ }).click();
  await page.getByRole("group", { name: "Which values are better" }).getByRole("button", { name: "Lower" }).click();
  await page.keyboard.press("Escape");
  await header(/lower is better/)
    .first()
    .waitFor();
  await expect.poll(best).toBe((await names())[0]);
  await expect.poll(() => hash(page)).toContain("t.better=");
});

test("any fact becomes a column by a search, and leaves by its menu", async () => {
  await openTable("&t.columns=state,hp.lr");
  await page.keyboard.press("f");
  await page.getByRole("searchbox", { name: "Find or add a column" }).fill("corrupt");
  await page.getByRole("checkbox", { name: /^corrupt_records/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: /^Show/ }).click();
  await expect.poll(titles).toContain("corrupt records");
  await page.keyboard.press("f");
  await page.getByRole("searchbox", { name: "Find or add a column" }).fill("train/loss");
  await page.getByRole("group", { name: "train/loss" }).getByRole("button", { name: "mean" }).click();
  await page.keyboard.press("Escape");
  await header(/^train\/loss mean/).hover();
  await page.getByRole("button", { name: /^Column train\/loss, mean/ }).click();
  await page.getByRole("button", { name: "Remove column" }).click();
  await expect.poll(() => header(/^train\/loss mean/).count()).toBe(0);
});

test("a cell filters the runs by its value, in addition to the filter", async () => {
  await filter().fill("bert");
  await header(/^lr/).getByRole("button").first().click();
  const at = (await titles()).indexOf("lr");
  await expect.poll(async () => (await names())[0]).toContain("lr2e-5");
  await cellsOf(0).nth(at).click({ button: "right" });
  await page.getByRole("menuitem", { name: "lr = 2e−5" }).click();
  await expect.poll(() => filter().inputValue()).toBe("bert and hp.lr = 0.00002");
  await expect.poll(async () => (await names()).sort()).toEqual(["bert-lr2e-5-s1", "bert-lr2e-5-s2", "bert-lr2e-5-s3"]);
});

test("every kind of cell makes a query that the server understands", async () => {
  await openTable("&t.columns=hp.model,min(train/loss),last(train/loss),hp.dropout,state,duration,size&t.equal=1");
  const count = (await titles()).length;
  for (let i = 0; i < count; i++) {
    await cellsOf(0).nth(i).click({ button: "right" });
    await page
      .getByRole("menuitem", { name: /=|with/ })
      .first()
      .click();
    await expect.poll(() => filter().inputValue()).not.toBe("");
    await expect.poll(() => rows().count()).toBeGreaterThan(0);
    expect(await page.locator("[aria-invalid=true]").count()).toBe(0);
    await filter().fill("");
    await expect.poll(() => rows().count()).toBe(12);
  }
});

test("boxes show runs on charts, and selected rows are those of the sidebar", async () => {
  const [first] = await names();
  await rows().nth(0).getByRole("checkbox").click();
  await page.getByText("11 of 12", { exact: true }).waitFor();
  await pick(0, 2);
  const sidebar = page.getByRole("treegrid", { name: "Runs" });
  await expect.poll(() => sidebar.locator("[aria-selected=true]").count()).toBe(2);
  expect(await sidebar.locator("[aria-selected=true]").allTextContents()).toContainEqual(
    expect.stringContaining(first!),
  );
  await page.getByRole("button", { name: "Show only these" }).click();
  await page.getByText("2 of 12", { exact: true }).waitFor();
});

test("the keyboard moves between cells, selects rows and opens menus", async () => {
  await grid().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("x");
  await page.keyboard.press("Shift+ArrowDown");
  await page.getByText("2 selected").first().waitFor();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.getByRole("menu", { name: /^eval\/accuracy of/ }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("v");
  await page.getByText("Compare 2 runs").waitFor();
  await page.keyboard.press("Escape");
  await grid().waitFor();
});

test("the comparison shows differences, and everything on demand", async () => {
  await header(/^seed/).getByRole("button").first().click();
  await pick(0, 11);
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  const keys = (): Promise<string[]> =>
    page.locator("tbody th[scope=row]").evaluateAll((all) => all.map((one) => one.getAttribute("title") ?? ""));
  await expect.poll(keys).toContain("seed");
  expect(await keys()).not.toContain("epochs");
  await page.getByRole("switch", { name: "Only differences" }).click();
  await expect.poll(keys).toContain("epochs");
  await page.getByRole("searchbox", { name: "Filter keys" }).fill("optim");
  await expect.poll(keys).toEqual(["optimizer.name", "optimizer.betas", "optimizer.weight_decay"]);
  const address = hash(page);
  page = await open(board, address);
  await expect.poll(keys).toEqual(["optimizer.name", "optimizer.betas", "optimizer.weight_decay"]);
  await page.getByRole("button", { name: "Table" }).first().click();
  await grid().waitFor();
});

test("a link to runs that are gone says so", async () => {
  page = await open(board, "#table&t.compare=nothing,nobody");
  await page.getByText("This run no longer exists.").waitFor();
});

test("the table is copied as Markdown, LaTeX and CSV, with the rows in their order", async () => {
  const copy = async (format: string): Promise<string> => {
    await page.getByRole("button", { name: "Copy", exact: true }).first().click();
    await page.getByRole("group", { name: "Format" }).getByRole("button", { name: format }).click();
    await page.getByRole("button", { name: `Copy ${format}` }).click();
    await page.getByText(`Copied as ${format}`).waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const order = await names();
  const markdown = (await copy("Markdown")).trim().split("\n");
  expect(markdown[0]).toMatch(/^\| run \| eval\/accuracy \| train\/loss \|/);
  expect(markdown.slice(2).map((line) => line.split(" | ")[0]!.replace("| ", ""))).toEqual(order);
  expect(markdown[2]).toContain("**");
  expect(await copy("LaTeX")).toContain("\\toprule");
  expect((await copy("CSV")).trim().split("\n")).toHaveLength(13);
  await page.getByRole("button", { name: "Copy", exact: true }).first().click();
  const { name } = await downloaded(page, () => page.getByRole("button", { name: "Download" }).click());
  expect(name).toBe("runs.csv");
});

test("new points and new runs arrive while it is open", async () => {
  const own = await Board.on("one");
  page = await open(own, "#table&t.columns=last(train/loss),count(train/loss)");
  await expect.poll(() => rows().count(), { timeout: EVENT_MS }).toBe(1);
  own.log("fresh", "train/loss", [0.5, 0.125]);
  await expect.poll(() => rows().count(), { timeout: EVENT_MS }).toBe(2);
  const fresh = (): Promise<string[]> => rows().filter({ hasText: "fresh" }).getByRole("gridcell").allInnerTexts();
  await expect.poll(fresh, { timeout: EVENT_MS }).toEqual(["0.1250", "2"]);
  own.log("fresh", "train/loss", [0.0625], 2);
  await expect.poll(fresh, { timeout: EVENT_MS }).toEqual(["0.06250", "3"]);
});

test("a filter without runs says so", async () => {
  await filter().fill("nothing like this");
  await page.getByText("No runs match the filter").first().waitFor();
});

describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
  test("looks as it should, and is accessible", async () => {
    page = await open(board, "#table", { colorScheme });
    await grid().and(page.locator("[aria-busy=false]")).waitFor();
    await pick(1, 3);
    await golden(page, `table-${colorScheme}`);
    await page.keyboard.press("b"); // without the sidebar, which has tests of its own
    await accessible(page);
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByText("command line").waitFor();
    await golden(page, `table-compare-${colorScheme}`);
    await accessible(page);
  });
});

test("looks as it should on a phone", async () => {
  page = await open(board, "#table", { viewport: PHONE, hasTouch: true });
  await settled(page);
  const items = page.getByRole("list", { name: "Runs" }).getByRole("listitem");
  const selected = page.getByText("2 selected");
  const position = { x: 340, y: 28 };
  await items.nth(1).tap({ position });
  await items.nth(3).tap({ position });
  await selected.waitFor();
  await golden(page, "table-phone");
  await accessible(page);
  await page.getByRole("button", { name: "Compare", exact: true }).tap();
  await page.getByText("command line").waitFor();
  await golden(page, "table-compare-phone");
  await accessible(page);
});
