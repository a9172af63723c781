/* The PR curves tab. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, downloaded, hash, open, PHONE, steadyBox } from "./harness";

const POSITIVE = "#pr_curves&pr.tag=eval/positive";

let board: Board;
let page: Page;

const large = (): Locator => page.getByRole("article").first();
const panel = (): Locator => page.getByRole("complementary", { name: "Threshold" });
const plot = (): Locator => large().getByRole("img");

/** Waits for the curves of all runs, and for their history. */
async function drawn(): Promise<void> {
  await expect.poll(() => plot().getAttribute("aria-label")).toMatch(/bert-s1, area 0\.9/);
  await panel().locator("polyline").first().waitFor();
  await expect.poll(() => page.locator("[aria-busy=true]").count()).toBe(0);
}

beforeAll(async () => {
  board = await Board.on("pr-curves");
});

beforeEach(async () => {
  page = await open(board, POSITIVE);
  await drawn();
});

test("shows each class, and the values of all runs at the threshold", async () => {
  await expect
    .poll(() => page.getByRole("article").getByRole("heading").allInnerTexts())
    .toEqual(["eval/positive", "eval/negative", "eval/neutral", "eval/sarcastic", "raw/paper", "raw/table"]);
  await expect.poll(() => large().innerText()).toMatch(/bert-s1\s+area 0\.910/);
  await expect
    .poll(() =>
      panel()
        .getByRole("row", { name: /^bert-s1 0/ })
        .innerText(),
    )
    .toMatch(/0\.\d{3}\s+0\.\d{3}\s+0\.\d{3}/);
  await expect
    .poll(() =>
      panel()
        .getByRole("row", { name: /^distilbert/ })
        .innerText(),
    )
    .toContain("at 800");
});

test("the counts of the confusion matrix add up to the examples, at every threshold", async () => {
  const counts = async (): Promise<number[]> =>
    (await panel().locator("td b").allInnerTexts()).map((text) => Number(text.replace(/\s/g, "")));
  const sum = async (): Promise<number> => (await counts()).reduce((total, count) => total + count, 0);
  await expect.poll(sum).toBe(800);
  const slider = panel().getByRole("slider", { name: "Threshold" });
  const before = await counts();
  for (let i = 0; i < 20; i++) await slider.press("ArrowRight");
  await expect.poll(() => hash(page)).toContain("pr.threshold=0.65");
  await expect.poll(async () => (await counts())[0]!).toBeLessThan(before[0]!);
  await expect.poll(sum).toBe(800);
});

test("a click on a curve sets the threshold and the run of the panel, and goes back", async () => {
  const box = await steadyBox(plot());
  await page.mouse.move(box.x + 0.75 * box.width, box.y + 0.12 * box.height);
  const tip = page.locator(".tip");
  await expect.poll(() => tip.innerText()).toMatch(/threshold\s+0\.\d+\s+precision[\s\S]*true positives/);
  await page.mouse.down();
  await page.mouse.up();
  await expect.poll(() => hash(page)).toMatch(/pr\.threshold=/);
  const run = (await tip.innerText()).split(/\s/)[0]!;
  await page.mouse.move(0, 0);
  await expect.poll(() => panel().locator("tr.chosen").innerText()).toContain(run);
  await page.goBack();
  await page.goBack();
  await expect.poll(() => hash(page)).not.toMatch(/pr\.threshold=/);
});

test("best F1 is at least that of any other threshold", async () => {
  const f1 = async (): Promise<number> => Number(await panel().locator("tr.chosen td").last().innerText());
  const before = await f1();
  await panel()
    .getByRole("button", { name: /Best F1/ })
    .click();
  await expect.poll(f1).toBeGreaterThan(before);
});

test("an earlier step is shown at the shared step, with fewer fading lines", async () => {
  await expect.poll(() => large().locator(".fading i").count()).toBe(5);
  await page.getByRole("slider", { name: "Step" }).focus();
  for (let i = 0; i < 6; i++) await page.keyboard.press("ArrowLeft");
  await expect.poll(() => hash(page)).toContain("pr.step=300");
  await expect.poll(() => panel().getByRole("heading", { name: "All runs at 0.500, step 300" }).count()).toBe(1);
  await expect.poll(() => large().locator(".fading i").count()).toBeLessThan(5);
  await page.getByRole("switch", { name: "Earlier steps" }).click();
  await expect.poll(() => large().locator(".fading").count()).toBe(0);
});

test("a click on the history goes to a step", async () => {
  const box = await steadyBox(panel().getByRole("img", { name: /^f1 by step/ }));
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await expect.poll(() => hash(page)).toMatch(/pr\.step=[45]00/);
});

test("ROC needs counts, and says so where there are none", async () => {
  await page.getByRole("button", { name: "ROC" }).click();
  await expect.poll(() => plot().getAttribute("aria-label")).toMatch(/^ROC of eval\/positive: .*area 0\.9/);
  const raw = page.getByRole("article", { name: "raw/paper" });
  await raw.scrollIntoViewIfNeeded();
  await expect.poll(() => raw.innerText()).toContain("There is no ROC curve, because the counts");
});

test("rows that are no curve have a sentence in place of the chart", async () => {
  const bad = page.getByRole("article", { name: "raw/table" });
  await bad.scrollIntoViewIfNeeded();
  await expect.poll(() => bad.getByRole("alert").innerText()).toContain("Expected a precision-recall curve of shape");
});

test("a drag zooms the large chart, and a double click resets it", async () => {
  const box = await steadyBox(plot());
  await page.mouse.move(box.x + 300, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 200, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => hash(page)).toContain("pr.zoom=");
  await page.mouse.dblclick(box.x + 400, box.y + 100);
  await expect.poll(() => hash(page)).not.toContain("pr.zoom=");
});

test("shortcuts select the class and the curve", async () => {
  await page.keyboard.press("j");
  await expect.poll(() => hash(page)).toContain("pr.tag=eval/sarcastic");
  await page.keyboard.press("k");
  await page.keyboard.press("k");
  await expect.poll(() => hash(page)).toContain("pr.tag=eval/neutral");
  await page.keyboard.press("r");
  await expect.poll(() => hash(page)).toContain("pr.space=roc");
});

test("a new step appears while the newest is shown", async () => {
  const own = await Board.on("pr-curves");
  page = await open(own, POSITIVE, { realTime: true });
  await drawn();
  own.write("bert-s2", `log.add_pr_curve("eval/positive", [0, 1, 1], [0.2, 0.6, 0.9], 5000)`);
  await expect
    .poll(() =>
      panel()
        .getByRole("heading", { name: /All runs at 0.500, step 5000/ })
        .count(),
    )
    .toBe(1);
  await expect.poll(() => large().innerText()).toMatch(/bert-s2\s+area 1\.000/);
});

test("downloads the image, the values and every step", async () => {
  const save = (choice: string | RegExp) => async (): Promise<void> => {
    await large().getByRole("button", { name: "Download eval/positive" }).click();
    await page.getByRole("menuitem", { name: choice }).click();
  };
  const svg = await downloaded(page, save("Image, SVG"));
  expect(svg.name).toBe("eval-positive-pr.svg");
  expect(svg.bytes.toString()).toMatch(/<svg[\s\S]*eval\/positive[\s\S]*recall[\s\S]*bert-s1/);
  const csv = (await downloaded(page, save("Values at the threshold"))).bytes.toString().split("\n");
  expect(csv[0]).toMatch(/^run,step,threshold,true_positives,.*,f1,area,roc_area$/);
  expect(csv).toHaveLength(5);
  const steps = (await downloaded(page, save(/Every step of bert-s1/))).bytes.toString().split("\n");
  expect(steps).toHaveLength(1 + 10 * 127 + 1);
});

describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
  test("looks as it should, and is accessible", async () => {
    page = await open(board, POSITIVE, { colorScheme });
    await drawn();
    await golden(page, `pr-curves-${colorScheme}`);
    await accessible(page);
  });
});

test("fits a phone, where the threshold is in the bar", async () => {
  page = await open(board, POSITIVE, { viewport: PHONE });
  await drawn();
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  await golden(page, "pr-curves-phone");
  await page.getByRole("button", { name: "Threshold 0.500" }).click();
  await page.getByRole("dialog", { name: "PR curves" }).getByRole("slider", { name: "Threshold" }).press("ArrowRight");
  await expect.poll(() => hash(page)).toContain("pr.threshold=0.50");
});
