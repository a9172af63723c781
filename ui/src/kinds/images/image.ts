/* Where an image is found, and what two of them have in difference. */
import type { ImageSeries } from "../../api/types";
import { placeAt, type Series } from "../../app/series.svelte";
import { plainName } from "../../base/save";
import { rampPixels } from "../../charts/raster";
import type { Ramp } from "../../charts/theme";

export type { ImageSeries };

export interface Shot {
  series: ImageSeries;
  step: number;
  wall: number;
  sample: number;
}

/** What a series has at a step, or at the last one before it. */
export function shotAt(series: ImageSeries, step: number | null, sample: number): Shot {
  const place = placeAt(series.steps, step);
  return {
    series,
    step: series.steps[place]!,
    wall: series.walls[place]!,
    sample: Math.min(sample, (series.samples ?? 1) - 1),
  };
}

/** What a saved image is called. */
export function fileOf({ series, step, sample }: Shot): string {
  return `${plainName(series.tag)}-${step}-${sample}.${(series.mime ?? "image/bin").split("/")[1]}`;
}

const SIDES = [64, 128, 256, 512];

export function blobUrl({ series, step, sample }: Shot): string {
  return `api/images/blob?${query(series, step, sample)}`;
}

/** Small ones as they are, so that each pixel is one; the others as thumbnails for `side` pixels of the screen. */
export function thumbUrl(shot: Shot, side: number | null): string {
  const { width = 0, height = 0, mime } = shot.series;
  if (side === null || mime === "image/gif" || Math.max(width, height) <= 128) return blobUrl(shot);
  const fitting = SIDES.find((one) => one >= side * (globalThis.devicePixelRatio || 1)) ?? SIDES.at(-1)!;
  return `api/images/thumb?${query(shot.series, shot.step, shot.sample)}&side=${fitting}`;
}

function query({ run, tag }: Series, step: number, sample: number): string {
  return new URLSearchParams({ run, tag, step: String(step), sample: String(sample) }).toString();
}

export interface Difference {
  width: number;
  height: number;
  /** A minus B for each pixel, the mean of its colors, of 1. */
  by: Float32Array;
  /** Of all colors of all pixels, of 1. */
  mean: number;
  largest: number;
  psnrDb: number;
}

export function difference(a: ImageData, b: ImageData): Difference {
  const by = new Float32Array(a.width * a.height);
  let [sum, squares, largest] = [0, 0, 0];
  for (let i = 0; i < a.data.length; i++) {
    if (i % 4 === 3) continue;
    const one = (a.data[i]! - b.data[i]!) / 255;
    by[i >> 2]! += one / 3;
    sum += Math.abs(one);
    squares += one * one;
    largest = Math.max(largest, Math.abs(one));
  }
  const colors = by.length * 3;
  return {
    width: a.width,
    height: a.height,
    by,
    mean: sum / colors,
    largest,
    psnrDb: -10 * Math.log10(squares / colors),
  };
}

/** Paints the difference in a ramp from "more in B" to "more in A". The largest difference gets the color at an end. */
export function paintDifference(by: Float32Array, ramp: Ramp, pixels: Uint32Array): void {
  const colors = rampPixels(ramp);
  const most = by.reduce((most, one) => Math.max(most, Math.abs(one)), 0) || 1;
  by.forEach((one, i) => (pixels[i] = colors[Math.round(((one / most + 1) / 2) * (colors.length - 1))]!));
}
