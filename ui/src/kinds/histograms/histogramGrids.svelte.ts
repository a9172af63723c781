/* The pictures on screen: asked for in one request for all cards that came into sight, and again when training logged more. */
import { untrack } from "svelte";
import { SvelteMap } from "svelte/reactivity";
import { postFrames } from "../../api/frames";
import type { Grew } from "../../api/types";
import type { Span } from "../../charts/box";
import { type CardHead, type HistogramGrid, parseHistogramGrid } from "./histogramGrid";

export interface Wanted {
  run: string;
  tag: string;
  /** What the drawing can hold. */
  columns: number;
  rows: number;
  bands: boolean;
}

/** Few, so that they are drawn soon; of the first even fewer. */
const AT_ONCE = 8;
const FIRST = 4;

const detailOf = ({ columns, rows, bands }: Wanted): string => `${columns}×${rows}${bands ? "+" : ""}`;
const keyOf = (wanted: Wanted): string => `${wanted.run} ${detailOf(wanted)} ${wanted.tag}`;

class HistogramGrids {
  #known = new SvelteMap<string, HistogramGrid | Error>();
  #waiting = new Map<string, Wanted>();
  #mounted = new Map<string, Wanted>();
  #asking = false;

  of(wanted: Wanted): HistogramGrid | Error | undefined {
    return this.#known.get(keyOf(wanted));
  }

  /** The values that these span together, as far as they are known. */
  range(all: Wanted[]): Span | null {
    const known = all
      .map((one) => this.of(one))
      .filter((grid): grid is HistogramGrid => grid !== undefined && !(grid instanceof Error) && grid.columns > 0);
    return known.length
      ? [Math.min(...known.map(({ values }) => values[0])), Math.max(...known.map(({ values }) => values[1]))]
      : null;
  }

  /** Keeps the grid fresh for as long as its card is near the screen. */
  mount(wanted: Wanted): () => void {
    const key = keyOf(wanted);
    this.#mounted.set(key, wanted);
    if (!untrack(() => this.#known.has(key))) this.#ask(wanted);
    return () => {
      this.#mounted.delete(key);
      this.#waiting.delete(key);
    };
  }

  /** Asks again for all that could not be had. */
  retry(): void {
    for (const [key, grid] of [...this.#known]) {
      if (!(grid instanceof Error)) continue;
      this.#known.delete(key);
      const wanted = this.#mounted.get(key);
      if (wanted) this.#ask(wanted);
    }
  }

  grew(event: Grew): void {
    for (const [key, wanted] of [...this.#known.keys()].map((key) => [key, this.#mounted.get(key)] as const)) {
      if (wanted === undefined) {
        if (Object.keys(event.runs).some((run) => key.startsWith(`${run} `))) this.#known.delete(key);
      } else if (grown(event, wanted)) this.#ask(wanted);
    }
  }

  #ask(wanted: Wanted): void {
    this.#waiting.set(keyOf(wanted), wanted);
    if (this.#asking) return;
    this.#asking = true;
    queueMicrotask(() => void this.#fetch());
  }

  async #fetch(): Promise<void> {
    for (let most = FIRST; this.#waiting.size; most = AT_ONCE) {
      const [first, ...others] = this.#waiting.values();
      const next = [first!, ...others.filter((one) => detailOf(one) === detailOf(first!))].slice(0, most);
      for (const one of next) this.#waiting.delete(keyOf(one));
      await this.#fetchBatch(next);
    }
    this.#asking = false;
  }

  async #fetchBatch(wanted: Wanted[]): Promise<void> {
    const { columns, rows, bands } = wanted[0]!;
    const cards = wanted.map((one) => ({ key: keyOf(one), run: one.run, tag: one.tag }));
    try {
      const { head, tables } = await postFrames<{ cards: CardHead[] }>("histograms/cards", {
        cards,
        columns,
        rows,
        bands,
      });
      head.cards.forEach((card, i) =>
        this.#known.set(card.key, parseHistogramGrid(card, tables[2 * i]!, tables[2 * i + 1]!)),
      );
    } catch (reason) {
      const error = reason instanceof Error ? reason : new Error(String(reason));
      // What was good stays on screen: it is old, not wrong.
      for (const { key } of cards) if (!this.#known.has(key)) this.#known.set(key, error);
    }
  }
}

function grown(event: Grew, { run, tag }: Wanted): boolean {
  const tags = event.runs[run]?.kinds.histograms;
  return tags === "*" || (tags?.includes(tag) ?? false);
}

export const histogramGrids = new HistogramGrids();
