/* How the clips on screen look: their outlines, and how loud each pitch is. */
import { postFrames } from "../../api/frames";
import type { AudioSeries, ClipHead } from "../../api/types";
import { FetchCache } from "../../app/fetchCache.svelte";
import { duration } from "../../base/format";
import { plainName } from "../../base/save";

export type { AudioSeries };

export interface ClipPlace {
  run: string;
  tag: string;
  step: number;
  sample: number;
}

export type Shown = "wave" | "sound" | "both";

export interface Outline extends ClipHead {
  low: Float32Array;
  high: Float32Array;
}

export interface Sound extends ClipHead {
  /** 0 to 255, column after column, from the lowest pitch up. */
  level: Uint8Array;
}

const COLUMNS = 240;
export const SOUND_COLUMNS = 200;
export const SOUND_ROWS = 64;
const MOST_KEPT = 2000;
const MOST_SOUNDS = 300;

export const keyOf = ({ run, tag, step, sample }: ClipPlace): string => `${run} ${step} ${sample} ${tag}`;

export function clipUrl({ run, tag, step, sample }: ClipPlace): string {
  return `api/audio/blob?${new URLSearchParams({ run, tag, step: String(step), sample: String(sample) })}`;
}

/** What a saved clip is called. */
export function fileOf({ tag, step, sample }: ClipPlace, mime: string | undefined): string {
  return `${plainName(tag)}-${step}-${sample}.${(mime ?? "audio/bin").split("/")[1]}`;
}

/** How long a clip is: `50 ms`, `1.5 s`, `2m 05s`. */
export function lasting(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  return seconds < 60 ? `${Number(seconds.toPrecision(3))} s` : duration(seconds);
}

async function fetchOutlines(clips: ClipPlace[]): Promise<Outline[]> {
  const { head, tables } = await postFrames<{ clips: ClipHead[] }>("audio/waveforms", { clips, columns: COLUMNS });
  return head.clips.map((clip, i) => ({
    ...clip,
    low: tables[i]!.low as Float32Array,
    high: tables[i]!.high as Float32Array,
  }));
}

export const outlines = new FetchCache<ClipPlace, Outline>(keyOf, fetchOutlines, MOST_KEPT);

async function fetchSounds(clips: ClipPlace[]): Promise<Sound[]> {
  const { head, tables } = await postFrames<{ clips: ClipHead[] }>("audio/spectrograms", {
    clips,
    columns: SOUND_COLUMNS,
    rows: SOUND_ROWS,
  });
  return head.clips.map((clip, i) => ({ ...clip, level: tables[i]!.level as Uint8Array }));
}

export const sounds = new FetchCache<ClipPlace, Sound>(keyOf, fetchSounds, MOST_SOUNDS);
