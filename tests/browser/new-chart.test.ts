/* Custom charts, any scalar as the x axis, and exports of all charts. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { Board, downloaded, hash, open, steadyBox } from "./harness";

let board: Board;
let page: Page;

beforeAll(async () => {
  board = await Board.on("charts");
});

beforeEach(async () => {
  page = await open(board);
  await drawn("train/loss", 3);
});

const card = (name: string): Locator => page.locator(`[data-card="${name}"]`).first();

async function drawn(name: string, lines: number): Promise<void> {
  await expect
    .poll(() => card(name).locator(".plot").getAttribute("aria-label"))
    .toMatch(new RegExp(`: ${lines} lines?$`));
}

describe("a custom chart", () => {
  test("is created from search results, is in the URL, and can be removed", async () => {
    await page.getByRole("button", { name: "New chart" }).click();
    const dialog = page.getByRole("dialog", { name: "New chart" });
    await dialog.getByRole("searchbox", { name: "Find tags" }).fill("loss$");
    await accessible(page);
    await dialog.getByRole("button", { name: "Add all 2" }).click();
    await dialog.getByRole("searchbox", { name: "Find tags" }).fill("lr");
    await dialog.getByRole("checkbox", { name: "train/lr" }).check();
    await dialog.getByRole("textbox", { name: "Chart name" }).fill("all of it");
    await dialog.getByRole("button", { name: "Create chart" }).click();
    await page.getByRole("button", { name: "My charts 1" }).waitFor();
    // Three runs of three tags, and an earlier attempt of one.
    await drawn("*all of it", 10);
    await expect.poll(() => hash(page)).toContain('own={"*all of it":["eval/loss","train/loss","train/lr"]}');
    await page.reload();
    await drawn("*all of it", 10);
    await card("*all of it").hover();
    await card("*all of it").getByRole("button", { name: "Expand chart" }).click();
    await page.getByRole("heading", { name: "all of it" }).waitFor();
    await page.getByRole("button", { name: "All charts" }).click();
    await card("*all of it").hover();
    await card("*all of it").getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Remove this chart" }).click();
    await card("*all of it").waitFor({ state: "detached" });
    await expect.poll(() => hash(page)).not.toContain("own=");
    await page.goBack();
    await drawn("*all of it", 10);
  });

  test("is part of a saved view", async () => {
    // All pages of a board see its saved views, so this test has its own board.
    const own = await Board.on("charts");
    page = await open(own, '#charts&own={"*both":["train/loss","eval/loss"]}');
    await drawn("*both", 7);
    await page.getByRole("button", { name: /^View/ }).click();
    await page.getByRole("menuitem", { name: "Save as a new view…" }).click();
    await page.getByRole("dialog", { name: "Save as a new view" }).getByRole("textbox").fill("with both");
    await page.keyboard.press("Enter");
    await page.getByText("Saved as with both").waitFor();
    page = await open(own);
    await page.getByRole("button", { name: /^View/ }).click();
    await page.getByRole("menuitemradio", { name: "with both" }).click();
    await drawn("*both", 7);
  });

  test("is created by dragging a chart onto another with Shift", async () => {
    await page.setViewportSize({ width: 1440, height: 1200 });
    await drawn("train/lr", 3);
    const [from, to] = [await steadyBox(card("train/lr").locator("h3")), await steadyBox(card("train/loss"))];
    // The code that handles a drag is loaded together with the tooltip.
    await page.mouse.move(to.x + 100, to.y + 100);
    await page.getByRole("tooltip").waitFor();
    await page.mouse.move(from.x + 20, from.y + 8);
    await page.keyboard.down("Shift");
    await page.mouse.down();
    await page.mouse.move(to.x + 60, to.y + 100, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await expect.poll(() => hash(page)).toContain('"train/loss":{"with":["train/lr"]}');
    await drawn("train/loss", 6);
  });

  test("in an invalid link is ignored", async () => {
    await page.goto(`${board.url}#charts&own={"*odd":5,"*none":[]}`);
    await page.reload();
    await drawn("train/loss", 3);
    await expect.poll(() => page.locator('[data-card="*odd"]').count()).toBe(0);
  });
});

test("any scalar can be the x axis, and runs without it are not drawn", async () => {
  await page.getByRole("button", { name: "X axis step" }).click();
  await page.getByRole("menuitemradio", { name: "another scalar…" }).click();
  await page.getByRole("textbox", { name: "Scalar for the x axis" }).fill("train/lr");
  await page.keyboard.press("Enter");
  await expect.poll(() => hash(page)).toContain("x=tag:train/lr");
  await page.getByRole("button", { name: "X axis train/lr" }).waitFor();
  await drawn("eval/loss", 4);
  const box = await steadyBox(card("eval/loss").locator(".plot"));
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await expect.poll(() => page.getByRole("tooltip").locator("thead").innerText()).toContain("train/lr");
  // The learning rate falls from 1e-4: the last step has the least of it, and stands at the left.
  await expect.poll(() => page.getByRole("tooltip").locator("tbody tr").count()).toBe(3);
});

describe("all charts", () => {
  const press = (format: string): Promise<{ name: string; bytes: Buffer }> =>
    downloaded(page, async () => {
      await page.getByRole("button", { name: "Export all charts" }).click();
      await page
        .getByRole("dialog", { name: "Export all charts" })
        .getByRole("button", { name: format, exact: true })
        .click();
    });

  test("as one table of every point, in each format", async () => {
    const csv = await press("CSV");
    expect(csv.name).toBe("charts.csv");
    const rows = csv.bytes.toString().split("\n");
    expect(rows[0]).toBe("run,tag,step,wall_time,value,smoothed");
    const count = (start: string): number => rows.filter((row) => row.startsWith(start)).length;
    expect([count("base,train/loss,"), count("diverged,eval/loss,"), count("large,final/score,")]).toEqual([
      4000, 50, 1,
    ]);
    expect(JSON.parse((await press("JSON")).bytes.toString())).toHaveLength(15);
    const arrow = await press("Arrow");
    expect([arrow.name, arrow.bytes.readUInt32LE(0)]).toEqual(["charts.arrow", 0xffffffff]);
    expect(arrow.bytes.includes("wall_time")).toBe(true);
  });

  test("as one image with a title for each and one legend, including charts off screen", async () => {
    await page.setViewportSize({ width: 1440, height: 420 });
    const svg = await press("SVG");
    expect(svg.name).toBe("charts.svg");
    for (const words of ["eval/loss", "final/score", "train/grad_norm", "train/lr", ">base<", ">diverged<", "step"])
      expect(svg.bytes.toString()).toContain(words);
    expect((await press("PNG")).bytes.subarray(1, 4).toString()).toBe("PNG");
  });

  test("follow the filter of tags and runs", async () => {
    await page.goto(`${board.url}#charts&tags=final&q=base`);
    await page.reload();
    await drawn("final/score", 1);
    const csv = await press("CSV");
    expect(csv.bytes.toString().trim().split("\n")).toHaveLength(2);
  });
});

test("the list of shortcuts includes gestures", async () => {
  await page.keyboard.press("j");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("Overlay a chart on another").waitFor();
});
