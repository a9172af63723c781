/* The outlines of the clips on screen. */
import { postFrames } from "../../api/frames";
import { Kept } from "../../app/kept.svelte";
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
const MOST_KEPT = 2000;

export const keyOf = ({ run, tag, step, sample }: ClipPlace): string => `${run} ${step} ${sample} ${tag}`;

export function clipUrl({ run, tag, step, sample }: ClipPlace): string {
  return `api/audio/blob?${new URLSearchParams({ run, tag, step: String(step), sample: String(sample) })}`;
}

async function fetchOutlines(clips: ClipPlace[]): Promise<Outline[]> {
  const { head, tables } = await postFrames<{ clips: ClipHead[] }>("audio/waveforms", { clips, columns: COLUMNS });
  return head.clips.map((clip, i) => ({ ...clip, low: tables[i]!.low as Float32Array, high: tables[i]!.high as Float32Array }));
}

export const outlines = new Kept<ClipPlace, Outline>(keyOf, fetchOutlines, MOST_KEPT);
