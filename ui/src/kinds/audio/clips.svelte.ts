/* The outlines of the clips on screen, asked for together and kept: what was logged at a step does not change. */
import { SvelteMap } from "svelte/reactivity";
import { postFrames } from "../../api/frames";
import type { Series } from "../../app/series.svelte";

export interface AudioSeries extends Series {
  samples?: number;
  labels?: string[];
}

export interface ClipPlace {
  run: string;
  tag: string;
  step: number;
  sample: number;
}

interface ClipHead {
  label: string;
  mime: string;
  rate_hz?: number;
  channels?: number;
  seconds?: number;
  /** Why there is no outline. */
  broken?: string;
}

export interface Outline extends ClipHead {
  low: Float32Array;
  high: Float32Array;
}

const COLUMNS = 240;
const AT_ONCE = 50;
const MOST_KEPT = 2000;

export const keyOf = ({ run, tag, step, sample }: ClipPlace): string => `${run} ${step} ${sample} ${tag}`;

export function clipUrl({ run, tag, step, sample }: ClipPlace): string {
  return `api/audio/blob?${new URLSearchParams({ run, tag, step: String(step), sample: String(sample) })}`;
}

class Outlines {
  #known = new SvelteMap<string, Outline | Error>();
  #asked = new Map<string, ClipPlace>();

  of(place: ClipPlace): Outline | Error | undefined {
    return this.#known.get(keyOf(place));
  }

  /** To be called in an effect. */
  ask(place: ClipPlace): void {
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

  async #fetchSome(clips: ClipPlace[]): Promise<void> {
    try {
      const { head, tables } = await postFrames<{ clips: ClipHead[] }>("audio/waveforms", { clips, columns: COLUMNS });
      clips.forEach((place, i) => this.#known.set(keyOf(place), { ...head.clips[i]!, low: tables[i]!.low as Float32Array, high: tables[i]!.high as Float32Array }));
    } catch (reason) {
      const error = reason instanceof Error ? reason : new Error(String(reason));
      for (const place of clips) this.#known.set(keyOf(place), error);
    }
  }
}

export const outlines = new Outlines();
