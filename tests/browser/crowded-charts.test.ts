/* Charts of more runs than they can color: which lines they draw, and the values of all runs. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { Board, open, steadyBox } from "./harness";

const HEADERS = { "X-Lossboard": "1", "Content-Type": "application/json" };

let board: Board;
let page: Page;

beforeAll(async () => {
  board = await Board.on("thousand");
});

const table = (): Locator => page.getByRole("table");

/** Names of the runs in the rows that exist. */
const names = (): Promise<string[]> => table().locator("tbody tr:not([aria-hidden]) td.l").allInnerTexts();

test("the table of an expanded chart has all runs, and only rows near the viewport exist", async () => {
  page = await open(board, "#charts&full=train/loss&smooth=0");
  await expect.poll(() => page.locator(".full").innerText()).toMatch(/60 lines \+ density of 940/);
  await expect.poll(() => table().getAttribute("aria-rowcount")).toBe("1001");
  await expect.poll(() => table().locator("tbody tr").count()).toBeLessThan(60);
  await table().getByRole("button", { name: "run" }).click();
  await expect.poll(async () => (await names())[0]).toContain("trial-0");
  await table()
    .locator("xpath=..")
    .evaluate((node) => (node.scrollTop = node.scrollHeight));
  await expect.poll(async () => (await names()).at(-1)).toContain("trial-999");
});

test("the table of an expanded chart has the exact steps of extremes", async () => {
  const own = await Board.on("none");
  own.write("a", "for i in range(20000): log.add_scalar('loss', {7777: 0.1, 12134: 0.9}.get(i, 0.5), i)");
  page = await open(own, "#charts&full=loss");
  await expect.poll(() => table().locator("tbody tr").innerText()).toMatch(/0\.1000 at 7777\s+0\.9000 at 12\s134/);
});

test("the tooltip lists the nearest of all runs", async () => {
  page = await open(board, "#charts&smooth=0");
  const plot = page.locator('[data-card="train/loss"] .plot');
  await expect.poll(() => plot.getAttribute("aria-label")).toMatch(/60 lines$/);
  const box = await steadyBox(plot);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const tip = page.getByRole("tooltip");
  await expect.poll(() => tip.innerText()).toContain("+ 988 more");
  const values = (await tip.locator("tbody .v").allInnerTexts()).map(Number);
  // A thousand runs are spread over more than 2. Those near the pointer are much closer to each other.
  expect(values).toHaveLength(12);
  expect(Math.max(...values) - Math.min(...values)).toBeLessThan(0.1);
});

/** Returns the parts of each name that are not cut. */
function partsNotCut(names: Locator): Promise<string[][]> {
  return names.evaluateAll((all) =>
    all.map((name) =>
      [...name.querySelectorAll<HTMLElement>(".cut > span")]
        .filter((part) => part.innerText && part.scrollWidth <= part.clientWidth)
        .map((part) => part.innerText),
    ),
  );
}

test("names of sibling runs are cut where they are alike, and tags leave them space", async () => {
  const own = await Board.on("none");
  for (const lr of ["0.1", "0.01"]) own.log(`model_torch_policy_lr_${lr}_num_workers_2_it_1_1000`, "loss", [1]);
  page = await open(own);
  const rows = page.getByRole("treegrid").locator(".text");
  await expect.poll(() => rows.count()).toBe(2);
  const info = (await (await fetch(`${own.url}api/board`)).json()) as { runs: { id: string }[] };
  const body = JSON.stringify({ ids: info.runs.map(({ id }) => id), set: { tags: ["baseline", "published"] } });
  await fetch(`${own.url}api/runs/edit`, { method: "POST", body, headers: HEADERS });
  await expect.poll(() => page.getByRole("treegrid").locator(".chip").count()).toBe(4);
  await expect.poll(() => partsNotCut(rows)).toEqual([["0.01"], ["0.1"]]);
});

test("names that almost fit the sidebar keep what differs, and the space of missing marks", async () => {
  const own = await Board.on("none");
  const long = ["MNLI_uncased_WWM_seed_1", "MNLI_uncased_WWM_seed_2"];
  for (const run of [...long, "gpt-2"]) own.log(run, "loss", [1]);
  page = await open(own);
  const rows = page.getByRole("treegrid").locator(".text");
  await expect.poll(() => partsNotCut(rows)).toEqual([["gpt-2"], ["1"], ["2"]]);
  const [name, state] = await Promise.all(
    [rows.last(), page.getByRole("treegrid").locator(".m:has(*)").last()].map(steadyBox),
  );
  expect(state!.x - (name!.x + name!.width)).toBeLessThan(10);
});

test("a count of points is shown completely or not at all", async () => {
  const own = await Board.on("none");
  const tag = "group/a_metric_with_a_name_that_is_as_long_as_the_card_is_wide";
  own.write("a", `for i in range(20000): log.add_scalar("${tag}", 0.5, i), log.add_scalar("group/b", 0.5, i)`);
  page = await open(own);
  const isVisible = (card: string): Promise<boolean> =>
    page.locator(`[data-card="${card}"] .pts`).evaluate((count) => {
      const text = document.createRange();
      text.selectNodeContents(count);
      return text.getBoundingClientRect().bottom <= count.getBoundingClientRect().bottom + 1;
    });
  await expect.poll(() => isVisible("group/b")).toBe(true);
  await expect.poll(() => isVisible(tag)).toBe(false);
});

test("a title is not cut while its count of points is left out", async () => {
  const own = await Board.on("none");
  const tag = "ray/tune/episode_reward_mean";
  own.write("a", `for i in range(20000): log.add_scalar("${tag}", i % 7, i)`);
  page = await open(own);
  const card = page.locator(`[data-card="${tag}"]`);
  await expect.poll(() => card.locator(".pts").count()).toBe(1);
  const missing_px = await card.locator("h3").evaluate((title) => {
    const text = document.createRange();
    text.selectNodeContents(title);
    return text.getBoundingClientRect().width - title.getBoundingClientRect().width;
  });
  expect(missing_px).toBeLessThan(1 / 64);
});
