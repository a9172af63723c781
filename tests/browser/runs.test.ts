/* The runs in the sidebar, used as a person does. */
import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Board, EVENT_MS, expectProblems, hash, open, settled } from "./harness";

let board: Board;
let page: Page;

const row = (name: string): Locator =>
  page.getByRole("row").filter({ has: page.locator(".text").getByText(name, { exact: true }) });
const box = (name: string): Locator => row(name).getByRole("checkbox");
// A long name is laid out in parts, which innerText separates by line breaks.
const names = (): Promise<string[]> => page.getByRole("treegrid").locator(".text").allTextContents();
const count = (): Locator => page.locator(".cnt");
const shown = async (text: string): Promise<void> =>
  expect.poll(async () => (await count().innerText()).replace(/\s+/g, " ")).toBe(text);
const filter = (): Locator => page.getByRole("searchbox", { name: "Filter runs" });

async function menu(name: string, item: string): Promise<void> {
  await row(name).click({ button: "right" });
  await page.getByRole("menuitem", { name: item }).click();
}

/** Makes a change and waits until the server has it and the page has read it back. On screen it is earlier. */
async function change(act: () => Promise<void>): Promise<void> {
  await Promise.all([page.waitForResponse("**/api/runs/edit", { timeout: EVENT_MS }), act()]);
  await settled(page);
}

async function typeName(name: string): Promise<void> {
  const field = page.getByRole("textbox", { name: /New name/ });
  await expect.poll(() => field.evaluate((input) => document.activeElement === input)).toBe(true);
  await field.fill(name);
  await field.press("Enter");
}

const rename = (to: string): Promise<void> => change(() => typeName(to));

const undo = (): Promise<void> => change(() => page.keyboard.press("Control+z"));

async function openList(on: Board): Promise<void> {
  page = await open(on);
  await shown("8 of 8");
}

beforeAll(async () => {
  board = await Board.on("few");
});

describe("filter", () => {
  beforeEach(() => openList(board));

  test("matches words and expressions, and marks invalid ones without changing the list", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("lr3e s1");
    await shown("2 of 8");
    await expect.poll(() => names()).toEqual(["bert-lr3e-5-s1", "roberta-lr3e-5-s1"]);
    await filter().fill("^(?!.*(search|roberta)).*");
    await shown("3 of 8");
    await filter().fill("^(?!.*(search|roberta)).*(");
    await page.getByRole("alert").filter({ hasText: "Unterminated group" }).waitFor();
    await expect.poll(() => filter().getAttribute("aria-invalid")).toBe("true");
    await expect.poll(() => filter().evaluate((input) => getComputedStyle(input).textDecorationLine)).toBe("underline");
    await expect.poll(() => names()).toEqual(["bert-lr2e-5-s1", "bert-lr3e-5-s1", "bert-lr3e-5-s2"]);
  });

  test("is in the URL while typing, is one history entry, and survives a reload", async () => {
    await filter().fill("bert");
    await expect.poll(() => hash(page)).toContain("q=bert");
    await filter().press("Enter");
    await page.reload();
    await shown("4 of 8");
    await expect.poll(() => filter().inputValue()).toBe("bert");
    await page.goBack();
    await shown("8 of 8");
  });

  test("Ctrl-F focuses it; a second one is the browser's", async () => {
    await page.evaluate(() =>
      addEventListener(
        "keydown",
        (event) =>
          event.key === "f" && setTimeout(() => (document.body.dataset.prevented = String(event.defaultPrevented))),
      ),
    );
    await page.keyboard.press("Control+f");
    await expect.poll(() => filter().evaluate((input) => document.activeElement === input)).toBe(true);
    await expect.poll(() => page.locator("body").getAttribute("data-prevented")).toBe("true");
    await page.keyboard.press("Control+f");
    await expect.poll(() => page.locator("body").getAttribute("data-prevented")).toBe("false");
  });

  test("without matches offers to clear itself", async () => {
    await filter().fill("zzz");
    await page.getByRole("complementary", { name: "Runs" }).getByText("No runs match the filter.").waitFor();
    await page.getByRole("button", { name: "Clear filter" }).click();
    await shown("8 of 8");
  });
});

describe("showing", () => {
  beforeEach(() => openList(board));

  test("a click on a checkbox is one history entry", async () => {
    await box("bert-lr3e-5-s1").click();
    await shown("7 of 8");
    await box("bert-lr3e-5-s2").click();
    await shown("6 of 8");
    await page.goBack();
    await shown("7 of 8");
    await page.goForward();
    await page.reload();
    await shown("6 of 8");
    await expect.poll(() => box("bert-lr3e-5-s1").isChecked()).toBe(false);
  });

  test("the eye shows only this run, and a second click restores the selection", async () => {
    await box("trial-10").click();
    await row("bert-lr2e-5-s1").hover();
    await page.getByRole("button", { name: "Show only bert-lr2e-5-s1" }).click();
    await shown("1 of 8");
    await page.getByRole("button", { name: "Show only bert-lr2e-5-s1" }).click();
    await shown("7 of 8");
  });

  test("a double click on a box shows only that run", async () => {
    await box("bert-lr2e-5-s1").dblclick();
    await shown("1 of 8");
    await expect.poll(() => box("bert-lr2e-5-s1").isChecked()).toBe(true);
  });

  test("a folder's checkbox stands for all its runs, and is mixed for some", async () => {
    await box("lr/").click();
    await shown("5 of 8");
    await expect.poll(() => box("search/").evaluate((input: HTMLInputElement) => input.indeterminate)).toBe(true);
    await box("search/").click();
    await shown("8 of 8");
  });

  test("the checkbox at the top stands for the listed runs", async () => {
    await filter().fill("bert");
    await page.getByRole("checkbox", { name: "Show all listed runs" }).click();
    await filter().fill("");
    await shown("4 of 8");
  });

  test("checkboxes have the colors of the runs, and a new run changes none", async () => {
    const own = await Board.on("few");
    page = await open(own);
    await shown("8 of 8");
    const colors = (): Promise<string[]> =>
      page
        .getByRole("treegrid")
        .evaluate((grid) =>
          ["bert-lr3e-5-s1", "bert-lr3e-5-s2", "trial-10"].map(
            (name) => getComputedStyle(grid.querySelector(`[aria-label$="${name}"]`)!).backgroundColor,
          ),
        );
    await settled(page);
    const before = await colors();
    expect(new Set(before).size).toBe(3);
    own.log("aaa-newcomer", "train/loss", [1, 0.5]);
    await shown("9 of 9");
    await expect.poll(() => colors()).toEqual(before);
    await page.reload();
    await shown("9 of 9");
    await expect.poll(() => colors()).toEqual(before);
  });
});

describe("order", () => {
  beforeEach(() => openList(board));

  test("numbers sort by value, and a click on a column reverses the order", async () => {
    await expect
      .poll(async () => (await names()).slice(-6))
      .toEqual(["search/", "lr/", "trial-1", "trial-2", "trial-10", "wd/trial-1"]);
    await page.getByRole("button", { name: "Last point" }).click();
    await expect.poll(async () => (await names())[0]).toBe("bert-lr3e-5-s1");
    await expect
      .poll(() => page.getByRole("columnheader", { name: "Last point" }).getAttribute("aria-sort"))
      .toBe("descending");
    await page.getByRole("button", { name: "Last point" }).click();
    await expect.poll(async () => (await names()).at(-1)).toBe("bert-lr3e-5-s1");
  });

  test("folders collapse, and grouping can be switched off", async () => {
    await row("search/").click();
    await expect.poll(async () => (await names()).at(-1)).toBe("search/");
    await page.reload();
    await expect.poll(async () => (await names()).at(-1)).toBe("search/");
    await page.getByRole("button", { name: "Group folder" }).click();
    await page.getByRole("menuitemradio", { name: "none" }).click();
    await expect.poll(async () => (await names()).at(-1)).toBe("search/wd/trial-1");
  });
});

describe("keyboard", () => {
  beforeEach(() => openList(board));

  test("arrows, space, enter, and Shift to select more rows", async () => {
    await page.getByRole("treegrid").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await shown("7 of 8");
    await expect.poll(() => box("bert-lr3e-5-s1").isChecked()).toBe(false);
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByText("2 selected").waitFor();
    await page.keyboard.press("Enter");
    await shown("2 of 8");
    await page.keyboard.press("Escape");
    await page.getByText("8 runs").waitFor();
    await page.keyboard.press("End");
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await shown("1 of 8");
    await expect.poll(() => box("bert-lr2e-5-s1").isChecked()).toBe(true);
  });
});

describe("changes", () => {
  /** Each test has its own board: all pages of a board see a change, and a test that fails leaves it behind. */
  let own: Board;

  beforeEach(async () => {
    own = await Board.on("few");
    await openList(own);
    await settled(page);
  });

  test("F2 renames, the title keeps the folder's name, and undo reverts it", async () => {
    await row("bert-lr2e-5-s1").click();
    await page.keyboard.press("F2");
    await rename("my best");
    await row("my best").waitFor();
    await page.reload();
    await row("my best").waitFor();
    await expect.poll(() => row("my best").getByRole("rowheader").getAttribute("title")).toContain("bert-lr2e-5-s1");
    await menu("my best", "Rename");
    // Undone at once: the server may not have the name yet.
    await typeName("oops");
    await row("oops").waitFor();
    await undo();
    await row("my best").waitFor();
    await menu("my best", "Rename");
    await rename("");
    await row("bert-lr2e-5-s1").waitFor();
  });

  test("note and tags are saved, and the filter finds tags", async () => {
    await menu("trial-2", "Note and tags…");
    await page.getByRole("textbox", { name: "Note" }).fill("Slow node.");
    await page.getByRole("combobox", { name: "Tags" }).fill("paper, baseline");
    await change(() => page.getByRole("button", { name: "Save" }).click());
    await row("trial-2").getByText("paper").waitFor();
    await filter().fill("baseline");
    await shown("1 of 8");
    await page.reload();
    await row("search/lr/trial-2").getByTitle("Slow node.").last().waitFor();
  });

  test("a color can be chosen and reset", async () => {
    const color = () => box("trial-1").evaluate((input) => getComputedStyle(input).backgroundColor);
    const given = await color();
    await row("trial-1").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Color" }).click();
    await change(() => page.getByRole("button", { name: "pink" }).click());
    await expect.poll(() => color()).toBe("rgb(241, 95, 127)");
    await change(() => page.getByRole("button", { name: "Reset to default color" }).click());
    await expect.poll(() => color()).toBe(given);
  });

  test("hidden and archived runs leave the list, and can be listed again", async () => {
    await change(() => menu("trial-1", "Hide from sidebar"));
    await shown("7 of 8");
    await change(() => menu("trial-2", "Archive"));
    await shown("6 of 8");
    await page.getByRole("button", { name: "1 hidden" }).click();
    await shown("7 of 8");
    await change(() => menu("trial-1", "Show in sidebar"));
    await page.getByRole("button", { name: "1 archived" }).click();
    await change(() => menu("trial-2", "Unarchive"));
    await shown("8 of 8");
  });

  test("a response older than a change does not revert it", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let isRead = false;
    let reads = 0;
    await page.route("**/api/board", async (route) => {
      // From now on only the first read gets a response, and it is older than the change.
      if (reads++ > 0) return;
      const answer = await route.fetch();
      isRead = true;
      await held;
      await route.fulfill({ response: answer });
    });
    own.log("newcomer", "train/loss", [1, 0.5]);
    await expect.poll(() => isRead).toBe(true);
    await row("bert-lr2e-5-s1").click();
    await page.keyboard.press("F2");
    await Promise.all([page.waitForResponse("**/api/runs/edit", { timeout: EVENT_MS }), typeName("my best")]);
    release();
    await shown("9 of 9");
    await row("my best").waitFor();
  });

  test("a change that the server refuses is reverted, without a message of success", async () => {
    await page.route("**/api/runs/edit", (route) => route.abort());
    await menu("bert-lr2e-5-s1", "Hide from sidebar");
    await page.getByText("Could not save the change").waitFor();
    await settled(page);
    await shown("8 of 8");
    expect(await page.getByText("bert-lr2e-5-s1 hidden").count()).toBe(0);
    expectProblems(/Failed to load resource/);
  });

  test("delete asks first, moves to the trash, and can be undone", async () => {
    await row("bert-lr3e-5-s1").click();
    await row("bert-lr3e-5-s2").click({ modifiers: ["Shift"] });
    await page.keyboard.press("Delete");
    const dialog = page.getByRole("dialog", { name: "Delete runs" });
    await dialog.getByText("Move 2 runs to the trash?").waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Cancel");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await shown("8 of 8");
    await page.keyboard.press("Delete");
    await dialog.getByRole("button", { name: "Move to trash" }).click();
    const bringBack = page.getByRole("status").getByRole("button", { name: "Undo" });
    // A toast stays while the pointer is on it.
    await bringBack.hover();
    await shown("6 of 6");
    expect(await page.getByText(/\d selected/).count()).toBe(0);
    await bringBack.click();
    await shown("8 of 8");
  });

  test("delete offers the sub-runs of add_scalars, and undo restores all of them", async () => {
    const own = await Board.on("few");
    for (const name of ["loss_train", "loss_val"])
      cpSync(join(own.logdir, "bert-lr2e-5-s1"), join(own.logdir, "bert-lr3e-5-s1", name), { recursive: true });
    page = await open(own);
    await shown("10 of 10");
    await row("bert-lr3e-5-s1").first().click();
    await page.keyboard.press("Delete");
    const dialog = page.getByRole("dialog", { name: "Delete runs" });
    await dialog.getByText("Move 3 runs to the trash?").waitFor();
    const offer = dialog.getByRole("checkbox", { name: "Also delete the 2 sub-runs in its folder" });
    await offer.uncheck();
    await dialog.getByText("Move 1 run to the trash?").waitFor();
    await offer.check();
    await dialog.getByRole("button", { name: "Move to trash" }).click();
    const bringBack = page.getByRole("status").getByRole("button", { name: "Undo" });
    await bringBack.hover();
    await shown("7 of 7");
    await bringBack.click();
    await shown("10 of 10");
  });

  test("a board that cannot save changes says why", async () => {
    const own = await Board.on("one");
    mkdirSync(join(own.logdir, ".lossboard.json"));
    page = await open(own);
    await shown("1 of 1");
    const reason = /\.lossboard\.json in the logdir is not a regular file/;
    await row("only").click({ button: "right" });
    await page.getByRole("menu").getByText(reason).waitFor();
    await page.keyboard.press("Escape");
    await row("only").click();
    await page.keyboard.press("F2");
    await page.getByRole("status").getByText(reason).waitFor();
  });

  test("the trash lists deleted runs after a reload, restores them without overwriting, and is emptied after asking", async () => {
    const own = await Board.on("few");
    await openList(own);
    await menu("trial-10", "Delete…");
    await page.getByRole("button", { name: "Move to trash" }).click();
    await shown("7 of 7");
    await page.reload();
    await shown("7 of 7");
    await page.getByRole("button", { name: "1 in trash" }).click();
    const trash = page.getByRole("dialog", { name: "Trash" });
    await trash.getByText(/1 run · /).waitFor();
    await trash.getByText(".lossboard-trash, one folder per run").waitFor();
    await trash.getByRole("button", { name: /Restore .*trial-10/ }).click();
    await trash.getByText("No deleted runs.").waitFor();
    await shown("8 of 8");
    await page.keyboard.press("Escape");
    await menu("trial-10", "Delete…");
    await page.getByRole("button", { name: "Move to trash" }).click();
    await shown("7 of 7");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("trash");
    await page.getByRole("option", { name: /Trash: restore deleted runs/ }).click();
    await trash.getByRole("button", { name: "Empty trash…" }).click();
    await page.getByRole("heading", { name: "Delete 1 run permanently?" }).waitFor();
    await page.getByRole("button", { name: "Delete 1 run" }).click();
    await trash.getByText("No deleted runs.").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("button", { name: /in trash/ }).count()).toBe(0);
    expect(readdirSync(join(own.logdir, ".lossboard-trash"))).toEqual([]);
  });

  test("undo in a text field undoes the typing, not the last change of a run", async () => {
    await row("trial-10").click();
    await page.keyboard.press("F2");
    await Promise.all([page.waitForResponse("**/api/runs/edit", { timeout: EVENT_MS }), typeName("renamed")]);
    await row("renamed").waitFor();
    const filter = page.getByRole("searchbox", { name: "Filter runs" });
    await filter.click();
    await page.keyboard.type("bert");
    await page.keyboard.press("Control+z");
    await expect.poll(() => filter.inputValue()).not.toBe("bert");
    await filter.fill("");
    await row("renamed").waitFor();
    await page.keyboard.press("Escape");
    await undo();
  });

  test("the size in the footer grows with the runs", async () => {
    const own = await Board.on("few");
    await openList(own);
    const foot = page.locator(".foot");
    const before = await foot.innerText();
    own.log(
      "trial-10",
      "train/loss",
      Array.from({ length: 500 }, (_, i) => i),
    );
    await expect.poll(() => foot.innerText()).not.toBe(before);
  });

  test("another board sees a change at once", async () => {
    const other = await open(own);
    await other.getByRole("rowheader", { name: "trial-10" }).waitFor();
    await row("trial-10").click();
    await page.keyboard.press("F2");
    await rename("seen by both");
    await other.getByRole("rowheader", { name: "seen by both" }).waitFor();
    await undo();
    await other.getByRole("rowheader", { name: "trial-10" }).waitFor();
  });
});

test("a mark shows how many corrupt records were skipped", async () => {
  await openList(board);
  await page.getByRole("button", { name: /2 corrupt records skipped/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/2 corrupt records skipped/).waitFor();
  await expect.poll(() => dialog.getByRole("listitem").count()).toBeGreaterThanOrEqual(1);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

test("Latest run switches to each new run", async () => {
  const followed = await Board.on("one");
  page = await open(followed, "", { realTime: true });
  await shown("1 of 1");
  followed.log("second", "train/loss", [1, 0.5]);
  await shown("2 of 2");
  await page.getByRole("button", { name: "Latest run" }).click();
  await shown("1 of 2");
  await expect.poll(() => box("second").isChecked()).toBe(true);
  followed.log("third", "train/loss", [1, 0.5]);
  // Checked first, because a run counts as live for only 30 seconds after its last point.
  await row("third").locator("svg.live").waitFor();
  await shown("1 of 3");
  await expect.poll(() => box("third").isChecked()).toBe(true);
});

test("of a thousand runs only the rows near the viewport exist, and the last can be reached", async () => {
  page = await open(await Board.on("thousand"));
  await shown("1000 of 1000");
  await expect.poll(() => page.getByRole("treegrid").getByRole("row").count()).toBeLessThan(80);
  await page.getByRole("treegrid").focus();
  await page.keyboard.press("End");
  await row("trial-999").waitFor();
  await filter().fill("trial-(7|42)$");
  await shown("2 of 1000");
});

test("a link with an invalid filter shows all runs", async () => {
  page = await open(board, "#charts&q=(bert");
  await page.getByRole("alert").filter({ hasText: "Unterminated group" }).waitFor();
  await row("bert-lr2e-5-s1").waitFor();
});
