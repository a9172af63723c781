/* The Charts tab: read values, zoom, change settings, pin, reload, go back. */
import type { Locator, Page, Request } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accessible } from "./axe";
import { chartCards } from "./chartCards";
import { golden } from "./golden";
import { Board, downloaded, eventually, hash, open, PHONE, settled, steadyBox } from "./harness";

let board: Board;
let page: Page;
const { card, plot, tip, ready, at, hover, drag } = chartCards(() => page);

beforeAll(async () => {
  board = await Board.on("charts");
});

describe("at a desk", () => {
  beforeEach(async () => {
    page = await open(board);
    await ready();
  });

  test("charts are grouped by prefix, and a collapsed group stays collapsed", async () => {
    await expect.poll(() => page.locator("section.group h2").allInnerTexts()).toEqual(["eval", "final", "train"]);
    await page.getByRole("button", { name: "train 3" }).click();
    await card("train/loss").waitFor({ state: "detached" });
    await page.reload();
    await card("eval/loss").waitFor();
    await expect.poll(() => page.locator('[data-card="train/loss"]').count()).toBe(0);
    await page.goBack();
    await card("train/loss").waitFor();
  });

  test("the filter takes JavaScript expressions, and an invalid one is marked and changes nothing", async () => {
    const field = page.getByRole("searchbox", { name: "Filter tags" });
    await field.fill("^(?!.*loss).*$");
    await card("train/loss").waitFor({ state: "detached" });
    await card("train/lr").waitFor();
    await field.fill("(");
    await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
    await card("train/lr").waitFor();
    await field.fill("nothing like it");
    await page.getByText("No tags match the filter").waitFor();
  });

  test("the tooltip lists the runs nearest to the pointer first, and the sidebar emphasizes the nearest", async () => {
    await hover("eval/loss", 0.5, 0.95);
    await expect.poll(() => tip().locator("thead").innerText()).toMatch(/step \d+/);
    await expect.poll(() => tip().locator("tbody tr").first().locator("td").last().innerText()).toMatch(/\d+m/);
    /** Read at one moment: the rows may change places when the exact values arrive. */
    const shown = (): Promise<{ names: string[]; values: number[]; hot: string; beside: boolean }> =>
      page.evaluate(() => {
        const texts = (selector: string): string[] =>
          [...document.querySelectorAll<HTMLElement>(selector)].map((node) => node.innerText.trim());
        const [tip, own] = ['[role="tooltip"]', '[data-card="eval/loss"] .plot'].map((selector) =>
          document.querySelector(selector)!.getBoundingClientRect(),
        ) as [DOMRect, DOMRect];
        return {
          names: texts('[role="tooltip"] tbody .nm'),
          values: texts('[role="tooltip"] tbody .nm + .v').map(Number),
          hot: texts('[aria-label="Runs"] .hot').join(),
          beside: tip.top >= own.bottom || tip.bottom <= own.top,
        };
      });
    await eventually(async () => {
      const { names, values, hot, beside } = await shown();
      expect(names).toHaveLength(3);
      expect(hot).toContain(names[0]);
      expect(values.every((value) => value > 0)).toBe(true);
      // The pointer is below all lines: the farther, the higher.
      expect(values[1]).toBeLessThanOrEqual(values[2]!);
      expect(beside).toBe(true);
    });
  });

  test("the tooltip shows the raw value as prominently as the smoothed one, and only where a line is smoothed", async () => {
    await hover("train/loss", 0.5, 0.5);
    await expect.poll(() => tip().locator("thead").innerText()).toContain("smoothed");
    const looks = await tip()
      .locator("tbody tr")
      .first()
      .locator("td:not(.nm)")
      .evaluateAll((cells) =>
        cells.map((cell) => `${getComputedStyle(cell).color} ${getComputedStyle(cell).fontWeight}`),
      );
    expect(looks[0]).toBe(looks[1]);
    expect(looks[1]).not.toBe(looks[2]);
    await hover("train/lr", 0.5, 0.5);
    await expect.poll(() => tip().locator("thead").innerText()).not.toContain("smoothed");
  });

  test("one move of the pointer shows the tooltip, and shortcuts act on the chart under it", async () => {
    await page.mouse.move(...(await at("eval/loss", 0.5, 0.5)));
    await expect.poll(() => tip().locator("tbody tr").count()).toBe(3);
    await page.keyboard.press("l");
    await card("eval/loss").locator(".leg").waitFor();
  });

  test("a shortcut pressed before the code for it has loaded acts on the chart under the pointer", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route("**/assets/cursors*.js", async (route) => (await held, route.continue()));
    await page.mouse.move(...(await at("eval/loss", 0.5, 0.5)));
    await page.keyboard.press("l");
    release();
    await card("eval/loss").locator(".leg").waitFor();
  });

  test("the tooltip disappears with the chart under a resting pointer", async () => {
    await hover("eval/loss", 0.5, 0.5);
    await expect.poll(() => tip().count()).toBe(1);
    await page.getByPlaceholder("Filter tags").fill("no tag is called this");
    await page.getByText("No tags match the filter").waitFor();
    await expect.poll(() => tip().count()).toBe(0);
  });

  test("no run stays emphasized when the chart under the pointer is expanded and the pointer leaves", async () => {
    await hover("eval/loss", 0.5, 0.5);
    await page.locator("[role=row].hot").first().waitFor();
    await page.keyboard.press("f");
    await page.locator("article.full").waitFor();
    await page.mouse.move(700, 2);
    await expect.poll(() => page.locator("[role=row].hot").count()).toBe(0);
    await page.keyboard.press("Escape");
    await ready();
    await expect.poll(() => page.locator("[role=row].hot").count()).toBe(0);
  });

  test("a drag zooms x and loads the points, a double click resets, and a zoomed link works", async () => {
    await expect.poll(() => card("train/loss").innerText()).toMatch(/of 12\s?000 points/);
    await drag("train/loss", [0.2, 0.5], [0.25, 0.6]);
    await expect.poll(() => hash(page)).toMatch(/cards=.*"train\/loss":\{"zoom":\[7\d\d/);
    await expect.poll(() => card("train/loss").innerText()).not.toContain("12\u2009000 points");
    const zoomed = page.url();
    await hover("train/loss", 0.5, 0.5);
    // Slow on purpose: however far apart its clicks are, a double click pins no step.
    await page.mouse.dblclick(...(await at("train/loss", 0.5, 0.5)), { delay: 300 });
    await expect.poll(() => hash(page)).not.toContain("zoom");
    await expect.poll(() => hash(page)).not.toContain("at=");
    await expect.poll(() => card("train/loss").innerText()).toContain("12\u2009000 points");
    await page.goto(zoomed);
    await expect.poll(() => card("train/loss").innerText()).not.toContain("12\u2009000 points");
  });

  test("a drag with Shift sets the limits of y, and the key 0 resets them", async () => {
    await drag("eval/loss", [0.3, 0.2], [0.4, 0.6], "Shift");
    await expect.poll(() => hash(page)).toMatch(/"eval\/loss":\{"lim":\[[\d.]+,[\d.]+\]/);
    await page.keyboard.press("0");
    await expect.poll(() => hash(page)).not.toContain("lim");
  });

  test("Ctrl and the wheel zoom at the pointer, the middle button pans", async () => {
    await hover("train/loss", 0.5, 0.5);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -200);
    await page.keyboard.up("Control");
    const zoom = (): [number, number] =>
      JSON.parse(/"zoom":(\[[^\]]*\])/.exec(hash(page))?.[1] ?? "null") as [number, number];
    await expect.poll(zoom).toEqual([expect.any(Number), expect.any(Number)]);
    const before = zoom();
    expect(before[0]).toBeGreaterThan(0);
    expect(before[1]).toBeLessThan(3999);
    // The pan starts from the range that is drawn.
    await expect.poll(() => card("train/loss").innerText()).not.toContain("12\u2009000 points");
    const end = await at("train/loss", 0.7, 0.5);
    await page.mouse.down({ button: "middle" });
    await page.mouse.move(...end, { steps: 3 });
    await page.mouse.up({ button: "middle" });
    await expect.poll(() => zoom()[0]).toBeLessThan(before[0]);
  });

  test("a linked zoom changes all charts", async () => {
    await page.getByRole("switch", { name: "Link zoom" }).click();
    await drag("train/lr", [0.2, 0.5], [0.6, 0.6]);
    await expect.poll(() => hash(page)).toMatch(/link=1.*zoom=\d+/);
    await hover("train/grad_norm", 0.01, 0.5);
    await expect.poll(() => tip().locator("thead").innerText()).toMatch(/step (1\d\d|2[0-2]\d)\b/);
  });

  test("a click pins a step, keys move it, Escape clears it", async () => {
    await hover("eval/loss", 0.5, 0.5);
    await page.mouse.click(...(await at("eval/loss", 0.5, 0.5)));
    await expect.poll(() => hash(page)).toMatch(/at=\d+/);
    const step = (): number => Number(/at=(\d+)/.exec(hash(page))?.[1]);
    const first = step();
    await page.keyboard.press("]");
    await expect.poll(step).toBeGreaterThan(first);
    const second = step();
    for (let i = 0; i < 5; i++) await page.keyboard.press("]");
    await expect.poll(step).toBeGreaterThan(second);
    await page.goBack();
    await expect.poll(step).toBe(first);
    await page.goForward();
    await expect.poll(step).toBeGreaterThan(second);
    await page.keyboard.press("Escape");
    await expect.poll(() => hash(page)).not.toContain("at=");
  });

  test("shortcuts move between charts, pin, set the log scale, expand and go back", async () => {
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await expect.poll(() => page.locator("article.focused").getAttribute("data-card")).toBe("final/score");
    await page.keyboard.press("p");
    await page.getByRole("button", { name: "Pinned 1" }).waitFor();
    await page.keyboard.press("y");
    await card("final/score").getByText("log", { exact: true }).waitFor();
    await page.keyboard.press("f");
    await page.getByRole("button", { name: "All charts" }).waitFor();
    await expect.poll(() => hash(page)).toContain("full=final/score");
    await page.keyboard.press("j");
    await expect.poll(() => hash(page)).toMatch(/full=(?!final)/);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Pinned 1" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Pinned 1" }).waitFor();
  });

  test("smoothing is requested for all charts at once, and is one step of the history", async () => {
    // A chart that waits for a response would send its request after the others.
    await settled(page);
    const sent: Request[] = [];
    page.on("request", (request) => request.url().endsWith("scalars/charts") && sent.push(request));
    await page.getByRole("slider", { name: "Smoothing" }).focus();
    await page.keyboard.press("End");
    await expect.poll(() => hash(page)).toContain("smooth=0.99");
    await settled(page);
    expect(sent).toHaveLength(1);
    const { charts } = sent[0]!.postDataJSON() as { charts: { smoothing: unknown }[] };
    expect(charts).toHaveLength(5);
    for (const { smoothing } of charts) expect(smoothing).toEqual({ method: "ema", weight: 0.99, only_noisy: true });
    await page.goBack();
    await expect.poll(() => hash(page)).not.toContain("smooth");
  });

  test("smoothing can be typed, also beyond the slider", async () => {
    const typed = page.getByRole("textbox", { name: "Smoothing as a number" });
    const type = async (text: string): Promise<void> => {
      await typed.fill(text);
      await page.keyboard.press("Enter");
    };
    await type("0.999");
    await expect.poll(() => hash(page)).toContain("smooth=0.999");
    expect(await typed.inputValue()).toBe("0.999");
    await type("0,5");
    await expect.poll(() => hash(page)).toContain("smooth=0.5");
    expect(await typed.inputValue()).toBe("0.50");
    await type("much");
    expect(await typed.inputValue()).toBe("0.50");
    await type("7");
    await expect.poll(() => hash(page)).toContain("smooth=0.9999");
  });

  test("the x axis can be time", async () => {
    await page.getByRole("button", { name: "X axis step" }).click();
    await page.getByRole("menuitemradio", { name: "relative time" }).click();
    await expect.poll(() => hash(page)).toContain("x=relative");
    await hover("train/loss", 0.5, 0.5);
    await expect.poll(() => tip().locator("thead b").innerText()).toMatch(/^33m/);
  });

  test("one click overlays training and validation", async () => {
    await page.keyboard.press("j");
    await page.keyboard.press("f");
    await page.getByRole("button", { name: "with train/loss" }).click();
    await expect
      .poll(() => page.locator(".full .plot[role=img]").getAttribute("aria-label"))
      .toMatch(/^eval\/loss, train\/loss: [67] lines$/);
    await expect.poll(() => page.getByRole("table").locator("tbody tr").count()).toBe(6);
  });

  test("the menu exports complete series, and images with run names", async () => {
    const take = async (format: string): Promise<string> => {
      await card("eval/loss").hover();
      await card("eval/loss").getByRole("button", { name: "More" }).click();
      const { bytes } = await downloaded(page, () => page.getByRole("button", { name: format, exact: true }).click());
      return bytes.toString("latin1");
    };
    await ready("eval/loss");
    const csv = await take("CSV");
    expect(csv.split("\n")[0]).toBe("run,tag,step,wall_time,value,smoothed");
    expect(csv.split("\n").filter((row) => row.startsWith("base,eval/loss,")).length).toBe(50);
    const svg = await take("SVG");
    for (const words of ["eval/loss", ">base<", ">large<", ">step<"]) expect(svg).toContain(words);
    expect((await take("PNG")).slice(1, 4)).toBe("PNG");
    expect(JSON.parse(await take("JSON"))).toHaveLength(3);
    expect(await take("Arrow")).toContain("smoothed");
  });

  test("a chart can be dragged to another size and another position", async () => {
    const drop = async (from: Locator, to: [number, number]): Promise<void> => {
      const box = await steadyBox(from);
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(...to, { steps: 5 });
      await page.mouse.up();
    };
    await page.setViewportSize({ width: 1440, height: 1200 });
    await hover("train/grad_norm", 0.5, 0.5);
    const target = await steadyBox(card("train/grad_norm"));
    await drop(card("train/lr").locator("h3"), [target.x + 100, target.y + 100]);
    await expect.poll(() => hash(page)).toContain("order=train/lr");
    await expect.poll(async () => (await card("train/lr").boundingBox())?.x).toBe(target.x);
    const corner = await steadyBox(card("train/lr").locator(".corner"));
    await drop(card("train/lr").locator(".corner"), [corner.x + 300, corner.y + 10]);
    await expect.poll(() => hash(page)).toMatch(/"train\/lr":\{"w":2\}/);
    await expect.poll(async () => (await card("train/lr").boundingBox())?.width).toBeGreaterThan(target.width * 1.9);
  });

  test("the scroll position is restored after another tab", async () => {
    await page.setViewportSize({ width: 1440, height: 500 });
    const scroll = page.getByRole("region", { name: "Charts by group" });
    await scroll.evaluate(async (node) => {
      // The view remembers the position when it gets the event.
      const scrolled = new Promise((resolve) => node.addEventListener("scroll", resolve, { once: true }));
      node.scrollTop = 150;
      await scrolled;
    });
    await page.getByRole("navigation", { name: "Views" }).getByRole("button").click();
    await page.getByRole("menuitem", { name: /^Images/ }).click();
    await page.getByRole("heading", { name: "No images logged yet" }).waitFor();
    await page.getByRole("link", { name: "Charts" }).click();
    await expect.poll(() => scroll.evaluate((node) => node.scrollTop)).toBe(150);
  });

  test("without a selected run, the tab says so, and the charts can be shown nevertheless", async () => {
    await page.goto(`${board.url}#charts&q=nothing-has-this-name`);
    await page.reload();
    await page.getByText("No run is selected").waitFor();
    await page.getByText("charts hidden, because there is no data in the selected runs").waitFor();
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await card("train/loss").getByText("No run is selected").waitFor();
  });

  test("charts that no selected run has are hidden, with their number, and come back with the run", async () => {
    const own = await Board.on("one");
    own.log("other", "extra/metric", [1, 2, 3]);
    page = await open(own, "", { realTime: true });
    await card("extra/metric").waitFor();
    await page.getByRole("checkbox", { name: "Show other" }).click();
    await card("extra/metric").waitFor({ state: "detached" });
    await card("train/loss").waitFor();
    await page.getByText("1 chart hidden, because there is no data in the selected runs").waitFor();
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await card("extra/metric").getByText("No selected run has this tag").waitFor();
    await page.getByRole("button", { name: "Hide", exact: true }).click();
    await card("extra/metric").waitFor({ state: "detached" });
    await page.getByRole("checkbox", { name: "Show other" }).click();
    await card("extra/metric").waitFor();
  });

  test("it is accessible", async () => {
    await accessible(page);
    await page.keyboard.press("j");
    await page.keyboard.press("f");
    await page.getByRole("table").locator("tbody tr").nth(2).waitFor();
    await accessible(page);
  });
});

test("on a phone, one tap shows the values below the chart, over the next group", async () => {
  page = await open(board, "", { viewport: PHONE, hasTouch: true, isMobile: true });
  await ready("eval/loss");
  await expect
    .poll(() =>
      plot("eval/loss")
        .locator("canvas")
        .first()
        .evaluate((canvas: HTMLCanvasElement) =>
          canvas
            .getContext("2d")!
            .getImageData(0, 0, canvas.width, canvas.height)
            .data.some((byte) => byte > 0),
        ),
    )
    .toBe(true);
  await page.touchscreen.tap(...(await at("eval/loss", 0.5, 0.5)));
  await expect.poll(() => tip().locator("tbody tr").count()).toBe(3);
  const inFront = (): Promise<boolean> =>
    tip().evaluate((node) => {
      // It lets the pointer through, and so would the question.
      node.style.pointerEvents = "auto";
      const { left, top, width, height } = node.getBoundingClientRect();
      return node.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    });
  await expect.poll(inFront).toBe(true);
});

describe("the look", () => {
  test.each(["light", "dark"] as const)("cards, %s", async (colorScheme) => {
    page = await open(
      board,
      '#charts&pins=train/grad_norm&cards={"train/grad_norm":{"y":"log"},"eval/loss":{"legend":true}}',
      { colorScheme },
    );
    for (const tag of ["train/grad_norm", "eval/loss", "train/loss", "train/lr"]) await ready(tag);
    await golden(page, `charts-${colorScheme}`);
  });

  test.each(["light", "dark"] as const)("expanded chart, %s", async (colorScheme) => {
    page = await open(board, "#charts&full=train/loss&at=1500", { colorScheme });
    await page.getByRole("table").locator("tbody tr").nth(2).waitFor();
    await expect.poll(() => page.getByRole("table").locator("tbody tr").first().innerText()).toContain("1500");
    await golden(page, `charts-full-${colorScheme}`);
  });

  test("on a phone", async () => {
    page = await open(board, "", { viewport: PHONE });
    await ready("eval/loss");
    await golden(page, "charts-phone");
  });
});
