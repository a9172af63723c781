/* Which charts come first, and validation on the charts of training. */
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { Board, hash, open } from "./harness";

let board: Board;
let page: Page;

const KIT = ["train/loss", "train/grad_norm", "train/learning_rate", "train/tokens_per_second", "eval/loss", "eval/f1"];
const MANY = [...KIT, ...Array.from({ length: 20 }, (_, i) => `attention/head${i}`), "debug/x"];
const titles = (): Promise<string[]> => page.locator(".group h2").allInnerTexts();
const firstCards = async (count: number): Promise<(string | null)[]> => {
  const cards = await page.locator("article.card").evaluateAll((all) => all.map((card) => card.ariaLabel));
  return cards.slice(0, count);
};

beforeAll(async () => {
  board = await Board.on("none");
  board.write("run", `for tag in ${JSON.stringify(MANY)}: log.add_scalar(tag, 0.5, 0)`);
});

test("losses and main metrics come first, and details are collapsed at the end", async () => {
  page = await open(board, "#charts", { realTime: true });
  await expect.poll(titles).toEqual(["eval", "train", "debug", "attention"]);
  await expect
    .poll(() => firstCards(5))
    .toEqual(["eval/loss", "eval/f1", "train/loss", "train/learning_rate", "train/tokens_per_second"]);
  const attention = page.getByRole("button", { name: "attention 20" });
  expect(await attention.getAttribute("aria-expanded")).toBe("false");
});

test("a new tag moves no chart, and comes to its place with the next visit", async () => {
  const own = await Board.on("none");
  own.write("run", `for tag in ${JSON.stringify(MANY)}: log.add_scalar(tag, 0.5, 0)`);
  page = await open(own, "#charts", { realTime: true });
  await expect.poll(titles).toEqual(["eval", "train", "debug", "attention"]);
  own.log("run", "aux/loss", [0.5, 0.4]);
  await expect.poll(titles).toEqual(["eval", "train", "debug", "attention", "aux"]);
  await page.reload();
  await expect.poll(titles).toEqual(["aux", "eval", "train", "debug", "attention"]);
});

test("a command switches to alphabetical order", async () => {
  page = await open(board, "#charts", { realTime: true });
  await expect.poll(titles).toEqual(["eval", "train", "debug", "attention"]);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /Search actions/ }).waitFor();
  await page.keyboard.type("order of charts");
  await page.getByRole("option", { name: /Order of charts/ }).click();
  await expect.poll(() => hash(page)).toContain("main=0");
  await expect.poll(async () => (await titles())[0]).toBe("attention");
});

test("validation is on the charts of training with one click", async () => {
  page = await open(board, "#charts", { realTime: true });
  const card = page.getByRole("article", { name: "train/loss", exact: true });
  await card.hover();
  await card.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: /Validation on the charts of training/ }).click();
  await expect.poll(() => card.locator(".plot").getAttribute("aria-label")).toBe("train/loss, eval/loss: 2 lines");
  await page.getByRole("article", { name: "eval/loss", exact: true }).waitFor({ state: "detached" });
  await expect.poll(() => hash(page)).toContain("splits=1");
});
