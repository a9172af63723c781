/* The pictures on screen: asked for in one request for all cards that came into sight, and again when training logged more. */
import { SvelteMap } from "svelte/reactivity";
import { postFrames } from "../../api/frames";
import type { Grew } from "../../api/types";
import { type CardHead, type Picture, readPicture } from "./picture";

export interface Wanted {
  run: string;
  tag: string;
  /** Columns that the drawing can hold. */
  columns: number;
}

const ROWS = 60;
const AT_ONCE = 24;

export const keyOf = ({ run, tag, columns }: Wanted): string => `${run} ${columns} ${tag}`;

class Pictures {
  #known = new SvelteMap<string, Picture | Error>();
  #waiting = new Map<string, Wanted>();
  #mounted = new Map<string, Wanted>();
  #scheduled = false;

  of(wanted: Wanted): Picture | Error | undefined {
    return this.#known.get(keyOf(wanted));
  }

  /** Keeps the picture fresh for as long as its card is near the screen. */
  mount(wanted: Wanted): () => void {
    const key = keyOf(wanted);
    this.#mounted.set(key, wanted);
    if (!this.#known.has(key)) this.#ask(wanted);
    return () => {
      this.#mounted.delete(key);
      this.#waiting.delete(key);
    };
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
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => void this.#fetch());
  }

  async #fetch(): Promise<void> {
    this.#scheduled = false;
    const batches = Map.groupBy([...this.#waiting.values()], ({ columns }) => columns);
    this.#waiting.clear();
    for (const [columns, wanted] of batches) {
      for (let at = 0; at < wanted.length; at += AT_ONCE) await this.#fetchBatch(columns, wanted.slice(at, at + AT_ONCE));
    }
  }

  async #fetchBatch(columns: number, wanted: Wanted[]): Promise<void> {
    const cards = wanted.map((one) => ({ key: keyOf(one), run: one.run, tag: one.tag }));
    try {
      const { head, tables } = await postFrames<{ cards: CardHead[] }>("histograms/cards", { cards, columns, rows: ROWS });
      head.cards.forEach((card, i) => this.#known.set(card.key, readPicture(card, tables[2 * i]!, tables[2 * i + 1]!)));
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

export const pictures = new Pictures();
