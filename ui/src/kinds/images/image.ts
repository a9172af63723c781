/* Where an image is found, and what two of them have in difference. */
import type { Series } from "../../app/series.svelte";

export interface ImageSeries extends Series {
  samples?: number;
  width?: number;
  height?: number;
  mime?: string;
}

export interface Shot {
  series: ImageSeries;
  step: number;
  wall: number;
  sample: number;
}

const SIDES = [64, 128, 256, 512];

export function blobUrl({ series, step, sample }: Shot): string {
  return `api/images/blob?${query(series, step, sample)}`;
}

/** Small ones as they are, so that each pixel is one; the others as thumbnails for `side` pixels of the screen. */
export function thumbUrl(shot: Shot, side: number): string {
  const { width = 0, height = 0, mime } = shot.series;
  if (mime === "image/gif" || Math.max(width, height) <= 128) return blobUrl(shot);
  const fitting = SIDES.find((one) => one >= side * (globalThis.devicePixelRatio || 1)) ?? SIDES.at(-1)!;
  return `api/images/thumb?${query(shot.series, shot.step, shot.sample)}&side=${fitting}`;
}

function query({ run, tag }: Series, step: number, sample: number): string {
  return new URLSearchParams({ run, tag, step: String(step), sample: String(sample) }).toString();
}

export interface Difference {
  pixels: ImageData;
  /** Mean and largest difference of a channel, of 1. */
  mean: number;
  largest: number;
}

/** A minus B, channel by channel: grey where they are equal, lighter where A has more. */
export function difference(a: ImageData, b: ImageData): Difference {
  const pixels = new ImageData(a.width, a.height);
  let [sum, largest] = [0, 0];
  for (let i = 0; i < a.data.length; i++) {
    if (i % 4 === 3) {
      pixels.data[i] = 255;
      continue;
    }
    const by = a.data[i]! - b.data[i]!;
    pixels.data[i] = 128 + by / 2;
    sum += Math.abs(by);
    largest = Math.max(largest, Math.abs(by));
  }
  return { pixels, mean: sum / (a.data.length * 0.75) / 255, largest: largest / 255 };
}
