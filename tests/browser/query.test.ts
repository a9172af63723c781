/* The query language in the filter of the runs. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, hash, open, PHONE, settled } from "./harness";

let board: Board;
let page: Page;

const filter = (): Locator => page.getByRole("searchbox", { name: "Filter runs" });
const shown = async (text: string): Promise<void> =>
  expect.poll(async () => (await page.locator(".cnt").innerText()).replace(/\s+/g, " ")).toBe(text);
const suggestions = (): Promise<string[]> => page.getByRole("option").locator("span").allInnerTexts();
const alert = (): Promise<string> => page.getByRole("alert").innerText();

beforeAll(async () => {
  board = await Board.on("sweep");
});

describe("a query", () => {
  beforeEach(async () => {
    page = await open(board);
    await shown("12 of 12");
  });

  test("filters by facts, is in the URL, and survives a reload", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("lr < 5e-5 and model = bert");
    await shown("6 of 12");
    await expect.poll(() => hash(page)).toContain("q=lr < 5e-5 and model = bert");
    await filter().press("Enter");
    await page.reload();
    await shown("6 of 12");
    await filter().fill("roberta"); // a plain word
    await shown("3 of 12");
    await filter().fill("");
    await shown("12 of 12");
  });

  test("is completed by names, then values, with the keyboard", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("exists dr");
    await expect.poll(suggestions).toEqual(["dropout"]);
    await page.keyboard.press("Tab");
    await expect.poll(() => filter().inputValue()).toBe("exists dropout ");
    await page.keyboard.type("and model = ");
    await expect.poll(suggestions).toEqual(["bert", "roberta"]);
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => filter().getAttribute("aria-activedescendant")).toBe("query-1");
    await page.keyboard.press("Tab");
    await expect.poll(() => filter().inputValue()).toBe("exists dropout and model = roberta ");
    await shown("1 of 12");
    await page.keyboard.press("Escape");
    await expect.poll(suggestions).toEqual([]);
    await expect.poll(() => filter().inputValue()).toContain("roberta"); // Escape closes the suggestions first
  });

  test("with an error keeps the last runs, underlines the place and offers a repair", async () => {
    await filter().fill("dropout > 0.15");
    await shown("6 of 12");
    await filter().fill("dropuot > 0.25");
    await expect.poll(alert).toContain("No run has a fact called dropuot. Did you mean");
    await expect.poll(() => page.locator(".wrong").allInnerTexts()).toEqual(["dropuot"]);
    await expect.poll(() => filter().getAttribute("aria-invalid")).toBe("true");
    await shown("6 of 12");
    await page.getByRole("alert").getByRole("button", { name: "dropout" }).click();
    await expect.poll(() => filter().inputValue()).toBe("dropout > 0.25");
    await shown("3 of 12");
  });

  test("says how many runs lack a fact, and includes them", async () => {
    await filter().fill("dropout < 0.15 and epochs = 3");
    await shown("4 of 12");
    await page.getByText("2 runs lack dropout").waitFor();
    await page.getByRole("button", { name: "Include them" }).click();
    await expect.poll(() => filter().inputValue()).toBe("(dropout < 0.15 or not exists dropout) and epochs = 3");
    await shown("6 of 12");
    await expect.poll(() => page.getByText("lack").count()).toBe(0);
  });

  test("follows the runs while they grow", async () => {
    const own = await Board.on("sweep");
    page = await open(own, "#charts&q=last(eval%2Faccuracy)%20%3E%202");
    await shown("0 of 12");
    own.log("bert-lr3e-5-s1", "eval/accuracy", [3], 2000);
    await shown("1 of 12");
  });

  test("with an error in the URL shows all runs", async () => {
    page = await open(board, "#charts&q=lr%20%3C");
    await expect.poll(alert).toContain("Expected a value");
    await shown("12 of 12");
  });
});

test.each(["light", "dark"] as const)("golden: a query in the %s theme", async (colorScheme) => {
  page = await open(board, "#charts&q=dropout%20%3C%200.15%20and%20epochs%20%3D%203", { colorScheme });
  await page.getByText("2 runs lack dropout").waitFor();
  await filter().click();
  await page.keyboard.press("End");
  await page.keyboard.type(" and l");
  await expect.poll(suggestions).toContain("lr");
  await accessible(page);
  await golden(page, `query-${colorScheme}`);
});

test("golden: an error in a query on a phone", async () => {
  page = await open(board, "#charts&q=roberta", { viewport: PHONE, hasTouch: true });
  await page.getByRole("button", { name: "Runs" }).click();
  await filter().fill("dropuot < 0.15");
  await page.getByRole("alert").waitFor();
  await settled(page);
  await accessible(page);
  await golden(page, "query-phone");
});
