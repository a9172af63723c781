/* Waveforms and spectrograms of audio clips. */
import { unlessMissing } from "../../api/batches";
import { postFrames } from "../../api/frames";
import type { AudioSeries, ClipHead, ClipsHead } from "../../api/types";
import { Resource } from "../../api/resource.svelte";
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

export interface SpectrogramData extends ClipHead {
  /** 0 to 255, column by column, each from the lowest frequency up. */
  level: Uint8Array;
}

const COLUMNS = 240;
export const SPECTROGRAM_COLUMNS = 200;
export const SPECTROGRAM_ROWS = 64;

export const keyOf = ({ run, tag, step, sample }: ClipPlace): string => `${run} ${step} ${sample} ${tag}`;

export function clipUrl({ run, tag, step, sample }: ClipPlace): string {
  return `api/audio/blob?${new URLSearchParams({ run, tag, step: String(step), sample: String(sample) })}`;
}

/** Returns the file name for a download. */
export function fileOf({ tag, step, sample }: ClipPlace, mime: string | undefined): string {
  return `${plainName(tag)}-${step}-${sample}.${(mime ?? "audio/bin").split("/")[1]}`;
}

/** Formats the length of a clip: `50 ms`, `1.5 s`, `2m 05s`. */
export function lasting(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  return seconds < 60 ? `${Number(seconds.toPrecision(3))} s` : duration(seconds);
}

export const outlines = new Resource<ClipPlace, Outline>({
  maxCached: 2000,
  async fetch(clips, { signal }) {
    const { head, tables } = await postFrames<ClipsHead>("audio/waveforms", { clips, columns: COLUMNS }, signal);
    const data = head.clips.map((clip, i) =>
      unlessMissing(clip, (found) => ({
        ...found,
        low: tables[i]!.low as Float32Array,
        high: tables[i]!.high as Float32Array,
      })),
    );
    return { cursor: head.cursor, data };
  },
});

export const spectrograms = new Resource<ClipPlace, SpectrogramData>({
  maxCached: 300,
  async fetch(clips, { signal }) {
    const body = { clips, columns: SPECTROGRAM_COLUMNS, rows: SPECTROGRAM_ROWS };
    const { head, tables } = await postFrames<ClipsHead>("audio/spectrograms", body, signal);
    const data = head.clips.map((clip, i) =>
      unlessMissing(clip, (found) => ({ ...found, level: tables[i]!.level as Uint8Array })),
    );
    return { cursor: head.cursor, data };
  },
});
