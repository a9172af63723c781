/* Charts of runs that grow, come and go while the page is open. */
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { chartCards } from "./chartCards";
import { Board, EVENT_MS, expectProblems, open, settled } from "./harness";

let page: Page;
const { card, plot, tip, ready, at } = chartCards(() => page);

test("a logged point appears without a reload, and only its chart is requested", async () => {
  const own = await Board.on("one");
  page = await open(own, '#charts&cards={"train/loss":{"legend":true}}', { realTime: true });
  await ready();
  // All charts are requested again when the stream of live events opens.
  await settled(page);
  const requested: string[][] = [];
  page.on(
    "request",
    (request) =>
      request.url().endsWith("scalars/charts") &&
      requested.push(
        (request.postDataJSON() as { charts: { tags: string[] }[] }).charts.flatMap((chart) => chart.tags),
      ),
  );
  own.log("only", "train/loss", [123], 60);
  await expect.poll(() => card("train/loss").locator(".leg").innerText()).toContain("123");
  await settled(page);
  expect(new Set(requested.flat())).toEqual(new Set(["train/loss"]));
});

describe("runs that come and go while the board is open", () => {
  let own: Board;
  const lines = (count: number): Promise<void> =>
    expect
      .poll(() => plot("train/loss").getAttribute("aria-label"))
      .toBe(`train/loss: ${count} line${count > 1 ? "s" : ""}`);

  beforeEach(async () => {
    own = await Board.on("one");
    page = await open(own, "", { realTime: true });
    await lines(1);
    await settled(page);
  });

  test("a run that is copied in gets a line, and a run whose folder is deleted loses it", async () => {
    const [run, copy] = ["only", "copy"].map((name) => join(own.logdir, name)) as [string, string];
    cpSync(run, copy, { recursive: true });
    await lines(2);
    rmSync(copy, { recursive: true });
    await lines(1);
    // The same name again, with other points.
    own.log("copy", "train/loss", [1, 2, 3]);
    await lines(2);
  });

  test("a run that is deleted in the sidebar loses its line, and Undo restores it", async () => {
    own.log("other", "train/loss", [1, 2, 3]);
    await lines(2);
    await page.getByRole("rowheader", { name: "other" }).click();
    await page.keyboard.press("Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Move to trash" }).click();
    const undo = page.getByRole("status").getByRole("button", { name: "Undo" });
    // A toast stays while the pointer is on it.
    await undo.hover();
    await lines(1);
    await undo.click();
    await lines(2);
  });

  test("after a restart of the board, points that are logged appear", async () => {
    expectProblems(/Failed to load resource|ERR_/);
    await page.goto(`${own.url}#charts&cards={"train/loss":{"legend":true}}`);
    // Many changes, so that the position of the first server is far ahead of that of the second.
    for (const step of [60, 61, 62]) {
      own.log("only", "train/loss", [step], step);
      await expect.poll(() => card("train/loss").locator(".leg").innerText()).toContain(String(step));
    }
    await own.stop();
    await own.start();
    own.log("only", "train/loss", [123], 63);
    await expect.poll(() => card("train/loss").locator(".leg").innerText(), { timeout: EVENT_MS }).toContain("123");
  });
});

test("the tooltip of a resting pointer follows a chart that grows", async () => {
  const own = await Board.on("one");
  page = await open(own, "", { realTime: true });
  await ready();
  await page.mouse.move(...(await at("train/loss", 0.99, 0.5)));
  await expect.poll(() => tip().locator("thead").innerText()).toMatch(/step 4\d/);
  own.log("only", "train/loss", [0.5], 60);
  await expect.poll(() => tip().locator("thead").innerText()).toMatch(/step 60/);
});

test("a resting pointer shows the value of a run that passes its step, and not an older one", async () => {
  const own = await Board.on("one");
  own.log("young", "train/loss", [0.7], 0);
  page = await open(own, "#charts&smooth=0", { realTime: true });
  await expect.poll(() => plot("train/loss").getAttribute("aria-label")).toMatch(/2 lines$/);
  await page.mouse.move(...(await at("train/loss", 0.5, 0.5)));
  const young = (): Locator => tip().locator("tbody tr", { hasText: "young" });
  await expect.poll(() => tip().locator("tbody tr").count()).toBe(1);
  // The time is there once the exact points have arrived.
  await expect.poll(() => tip().locator("tbody td").last().innerText()).toMatch(/\ds$/);
  own.log(
    "young",
    "train/loss",
    Array.from({ length: 49 }, (_, i) => 0.5 + i / 1000),
    1,
  );
  await expect.poll(() => young().locator(".v").first().innerText()).toMatch(/^0\.52\d\d$/);
  await settled(page);
  expect(await young().locator(".v").first().innerText()).toMatch(/^0\.52\d\d$/);
});
