/* Finds charts on the page, and moves the pointer in them. */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { steadyBox } from "./harness";

/** `page` returns the page of the current test. */
export function chartCards(page: () => Page) {
  const card = (tag: string): Locator => page().locator(`[data-card="${tag}"]`).first();
  const plot = (tag: string): Locator => card(tag).locator(".plot");
  const tip = (): Locator => page().getByRole("tooltip");

  async function ready(tag = "train/loss"): Promise<void> {
    await plot(tag).waitFor();
    await expect.poll(() => plot(tag).getAttribute("aria-label")).toMatch(/\d lines?$/);
  }

  /** A place of a chart by shares of its box: 0, 0 is the upper left. */
  async function at(tag: string, x: number, y: number): Promise<[number, number]> {
    const box = await steadyBox(plot(tag));
    return [box.x + 44 + (box.width - 56) * x, box.y + 8 + (box.height - 32) * y];
  }

  /** Moves the pointer onto a chart. The code that handles pointer and keys is loaded together with the tooltip. */
  async function hover(tag: string, x: number, y: number): Promise<void> {
    await page().mouse.move(...(await at(tag, x, y)));
    await tip().waitFor();
  }

  async function drag(tag: string, from: [number, number], to: [number, number], key?: "Shift"): Promise<void> {
    const end = await at(tag, ...to);
    await hover(tag, ...from);
    if (key) await page().keyboard.down(key);
    await page().mouse.down();
    await page().mouse.move(...end, { steps: 4 });
    await page().mouse.up();
    if (key) await page().keyboard.up(key);
  }

  return { card, plot, tip, ready, at, hover, drag };
}
