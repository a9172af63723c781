/* The texts on screen, asked for together and kept: what was logged at a step does not change. */
import { SvelteMap } from "svelte/reactivity";
import { post } from "../../api/client";

export interface Text {
  step: number;
  wall: number;
  texts: string[];
  shape: number[];
  /** Sanitised by the server. */
  html: string;
}

export interface Place {
  run: string;
  tag: string;
  step: number;
}

const AT_ONCE = 50;
const MOST_KEPT = 500;
const keyOf = ({ run, tag, step }: Place): string => `${run} ${step} ${tag}`;

class Texts {
  #known = new SvelteMap<string, Text | Error>();
  #asked = new Map<string, Place>();

  of(place: Place): Text | Error | undefined {
    return this.#known.get(keyOf(place));
  }

  /** To be called in an effect. */
  ask(place: Place): void {
    const key = keyOf(place);
    if (this.#known.has(key) || this.#asked.has(key)) return;
    if (this.#asked.size === 0) queueMicrotask(() => void this.#fetch());
    this.#asked.set(key, place);
  }

  async #fetch(): Promise<void> {
    const places = [...this.#asked.values()];
    this.#asked.clear();
    for (let at = 0; at < places.length; at += AT_ONCE) await this.#fetchSome(places.slice(at, at + AT_ONCE));
    for (const key of [...this.#known.keys()].slice(0, Math.max(0, this.#known.size - MOST_KEPT))) this.#known.delete(key);
  }

  async #fetchSome(places: Place[]): Promise<void> {
    try {
      const { texts } = (await (await post("text/texts", { texts: places })).json()) as { texts: Text[] };
      places.forEach((place, i) => this.#known.set(keyOf(place), texts[i]!));
    } catch (reason) {
      const error = reason instanceof Error ? reason : new Error(String(reason));
      for (const place of places) this.#known.set(keyOf(place), error);
    }
  }
}

export const texts = new Texts();
