/* HParams: parallel coordinates, scatter plots, importance and the table, which share one selection of runs. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { golden } from "./golden";
import { Board, downloaded, hash, open, PHONE, steadyBox } from "./harness";

let board: Board;
let page: Page;

const plot = (): Locator => page.getByRole("img", { name: /^Parallel coordinates/ });
const title = (name: string): Locator => page.locator("button.title").filter({ hasText: new RegExp(`^${name}$`) });
const table = (): Locator => page.getByRole("region", { name: "Runs with their hyperparameters" });
const header = (name: string): Locator => table().getByRole("columnheader", { name });
const rows = (): Locator => table().locator("tbody tr:not([aria-hidden])");
const sidebar = (): Locator => page.getByText(/^\d+ of 36$/).first();
const axisNames = (): Promise<string[]> =>
  page.locator("button.title").evaluateAll((titles) =>
    titles
      .map((title) => ({ name: title.textContent.trim(), at: title.getBoundingClientRect().left }))
      .sort((a, b) => a.at - b.at)
      .map(({ name }) => name),
  );

beforeAll(async () => {
  board = await Board.on("search");
});

beforeEach(async () => {
  page = await open(board, "#hparams");
  await title("lr").waitFor();
});

/** Drags along an axis, between shares of its length from the top. */
async function brush(name: string, from: number, to: number): Promise<void> {
  const [axis, box] = [await steadyBox(title(name)), await steadyBox(plot())];
  const x = axis.x + axis.width / 2;
  const y = (share: number): number => box.y + 64 + share * (box.height - 78);
  await page.mouse.move(x, y(from));
  await page.mouse.down();
  await page.mouse.move(x, y((from + to) / 2), { steps: 3 });
  await page.mouse.move(x, y(to), { steps: 3 });
  await page.mouse.up();
}

test("the tab has a key, and shows hyperparameters that differ with the metrics that were declared", async () => {
  page = await open(board, "#charts");
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "HParams" }).waitFor();
  await page.keyboard.press("3");
  await title("lr").waitFor();
  await expect.poll(axisNames).toEqual(["model", "lr", "batch_size", "amp", "dropout", "eval/accuracy", "eval/loss"]);
  await header("seed").waitFor();
  await expect.poll(() => header("epochs").count()).toBe(0);
});

test("a brush selects runs in the table, in the sidebar and on charts, and is in the URL", async () => {
  await brush("lr", 0.3, 0.7);
  const chip = page.getByText(/≤ lr ≤/);
  await chip.waitFor();
  const count = await page.locator(".count b").innerText();
  expect(Number(count)).toBeGreaterThan(2);
  expect(Number(count)).toBeLessThan(34);
  await expect.poll(() => sidebar().innerText()).toBe(`${count} of 36`);
  await expect.poll(() => table().locator("table").getAttribute("aria-rowcount")).toBe(String(Number(count) + 1));
  const address = hash(page);
  expect(address).toContain("hp.brush=");

  const other = await open(board, address);
  await other.getByText(/≤ lr ≤/).waitFor();
  await expect.poll(() => other.locator(".count b").innerText()).toBe(count);

  await page.keyboard.press("1");
  await expect.poll(() => sidebar().innerText()).toBe(`${count} of 36`);
  await page.keyboard.press("3");
  await page.getByRole("button", { name: "Remove the filter of lr" }).click();
  await expect.poll(() => sidebar().innerText()).toBe("36 of 36");
});

test("a click on a block selects the runs with its value, also those without any", async () => {
  await title("dropout").click();
  await page.getByRole("checkbox", { name: "none 4" }).click();
  await expect.poll(() => sidebar().innerText()).toBe("4 of 36");
  await page.getByRole("button", { name: "Clear this filter" }).click();
  await expect.poll(() => sidebar().innerText()).toBe("36 of 36");
});

test("limits can be typed, for those who cannot drag", async () => {
  await title("lr").click();
  await page.getByRole("textbox", { name: "To", exact: true }).fill("1e-4");
  await page.keyboard.press("Enter");
  await page.getByText(/≤ lr ≤ 0.0001/).waitFor();
  await expect.poll(() => sidebar().innerText()).not.toBe("36 of 36");
});

test("axes move by a drag and by the menu, and flip and change their scale", async () => {
  const lr = await steadyBox(title("lr"));
  const batch = await steadyBox(title("batch_size"));
  await page.mouse.move(lr.x + lr.width / 2, lr.y + 8);
  await page.mouse.down();
  await page.mouse.move(batch.x + batch.width / 2 + 10, lr.y + 8, { steps: 6 });
  await page.mouse.up();
  await expect.poll(axisNames).toEqual(["model", "batch_size", "lr", "amp", "dropout", "eval/accuracy", "eval/loss"]);
  await title("lr").click();
  await page.getByRole("button", { name: "Move left" }).click();
  await expect.poll(async () => (await axisNames())[1]).toBe("lr");
  await title("lr").click();
  await page.getByRole("button", { name: "Linear" }).click();
  await page.getByRole("button", { name: "Flip axis" }).click();
  await expect.poll(() => decodeURIComponent(hash(page))).toContain('"hp.lr":{"scale":"linear","isFlipped":true}');
});

test("the pointer emphasizes a run everywhere", async () => {
  page = await open(board, "#hparams&q=trial-0");
  await title("lr").waitFor();
  await rows().nth(1).hover();
  const name = (await rows().nth(1).getByRole("rowheader").innerText()).trim();
  await expect.poll(() => page.locator("[role=row].hot").allInnerTexts()).toEqual([expect.stringContaining(name)]);
});

test("the table sorts, marks the best value, and shows which value of a metric counts", async () => {
  const first = (): Promise<string> => rows().first().innerText();
  await header("eval/loss").getByRole("button").click();
  await expect.poll(() => header("eval/loss").getAttribute("aria-sort")).toBe("ascending");
  const best = table().locator("td.best").first();
  await best.waitFor();
  const before = await first();
  await page.getByRole("button", { name: "Metric last" }).click();
  await page.getByRole("menuitemradio", { name: "at best step" }).click();
  await expect.poll(first).not.toBe(before);
  await expect.poll(() => hash(page)).toContain("hp.value=best");
});

test("importance is in words, and never names the seed", async () => {
  await page.getByRole("button", { name: "Importance" }).click();
  await page.getByText(/^lr explains \d+\s%\sof eval\/accuracy over 36 runs\./).waitFor();
  const importance = page.getByRole("region", { name: "Importance of each hyperparameter" });
  await expect.poll(() => importance.getByRole("rowheader").allInnerTexts()).not.toContain("seed");
  await importance.getByRole("button", { name: "batch_size" }).click();
  await page.getByRole("img", { name: "Scatter plot of eval/accuracy against batch_size" }).waitFor();
});

test("importance says how many runs it needs", async () => {
  page = await open(board, "#hparams&hp.side=importance&q=trial-0");
  await page.getByText("Importance needs 30 runs with eval/accuracy. 10 runs have it.").waitFor();
});

test("a cell of the matrix becomes the scatter plot, and a drag there selects runs", async () => {
  await page.getByRole("button", { name: "Scatter matrix" }).click();
  const matrix = page.getByRole("img", { name: "Scatter matrix of 2 metrics and 5 hyperparameters" });
  const box = await steadyBox(matrix);
  await page.mouse.click(box.x + box.width - 40, box.y + box.height - 60);
  const scatter = page.getByRole("img", { name: "Scatter plot of eval/loss against dropout" });
  const area = await steadyBox(scatter);
  await page.mouse.move(area.x + 60, area.y + 20);
  await page.mouse.down();
  await page.mouse.move(area.x + area.width / 2, area.y + area.height - 40, { steps: 5 });
  await page.mouse.up();
  await expect.poll(() => sidebar().innerText()).not.toBe("36 of 36");
});

test("columns can be chosen, and survive in the URL", async () => {
  await page.getByRole("button", { name: /^Columns/ }).click();
  await page.getByRole("searchbox", { name: "Find a column" }).fill("epo");
  await page.getByRole("checkbox", { name: /^epochs/ }).click();
  await page.keyboard.press("Escape");
  await header("epochs").waitFor();
  page = await open(board, hash(page));
  await header("epochs").waitFor();
});

test("plots and table are exported", async () => {
  const save = async (name: string): Promise<{ name: string; bytes: Buffer }> => {
    await page.getByRole("button", { name: "Download" }).click();
    return downloaded(page, () => page.getByRole("menuitem", { name }).click());
  };
  const svg = await save("Parallel coordinates, SVG");
  expect(svg.bytes.toString()).toContain(">batch_size<");
  expect(svg.bytes.toString()).toContain("36 of 36 runs");
  expect((await save("Scatter matrix, PNG")).bytes.subarray(1, 4).toString()).toBe("PNG");
  const csv = (await save("Table, CSV")).bytes.toString().trim().split("\n");
  expect(csv).toHaveLength(37);
  expect(csv[0]).toContain("run,eval/accuracy,eval/loss,model,lr");
});

test("hyperparameters in the names of folders are shown without the plugin", async () => {
  page = await open(await Board.on("settings-in-names"), "#hparams");
  await expect.poll(axisNames).toEqual(["lr", "bs", "eval/accuracy", "train/loss"]);
});

test("runs without hyperparameters get an explanation", async () => {
  page = await open(await Board.on("one"), "#hparams");
  await page.getByText("No run has hyperparameters").waitFor();
});

describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
  test("looks as it should, and is accessible", async () => {
    page = await open(board, "#hparams", { colorScheme });
    await title("lr").waitFor();
    await golden(page, `hparams-${colorScheme}`);
    await page.keyboard.press("b"); // without the sidebar, which has tests of its own
    await accessible(page);
  });
});

test("matrix, importance and a brush look as they should", async () => {
  const brush = encodeURIComponent('{"hp.lr":{"range":[0.00005,0.0005]}}');
  page = await open(board, `#hparams&hp.brush=${brush}&hp.plot=matrix&hp.side=importance`);
  await page.getByText(/^lr explains/).waitFor();
  await golden(page, "hparams-matrix");
  await page.keyboard.press("b");
  await accessible(page);
});

test("looks as it should on a phone", async () => {
  page = await open(board, "#hparams", { viewport: PHONE });
  await title("lr").waitFor();
  await golden(page, "hparams-phone");
  await accessible(page);
  await page.getByRole("button", { name: "Table" }).click();
  await golden(page, "hparams-phone-table");
});
