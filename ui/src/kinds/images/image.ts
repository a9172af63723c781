/* URLs and file names of images, and the difference of two images. */
import type { ImageSeries } from "../../api/types";
import { placeAt, type Series } from "../../app/series.svelte";
import { plainName } from "../../base/save";
import { rampPixels } from "../../charts/raster";
import type { Ramp } from "../../charts/theme";

export type { ImageSeries };

export interface ImageSample {
  series: ImageSeries;
  step: number;
  wall: number;
  sample: number;
}

/** Returns the image at a step, or at the last step before it. */
export function sampleAt(series: ImageSeries, step: number | null, sample: number): ImageSample {
  const place = placeAt(series.steps, step);
  return {
    series,
    step: series.steps[place]!,
    wall: series.walls[place]!,
    sample: Math.min(sample, (series.samples ?? 1) - 1),
  };
}

/** Returns the file name for a download. */
export function fileOf({ series, step, sample }: ImageSample): string {
  return `${plainName(series.tag)}-${step}-${sample}.${(series.mime ?? "image/bin").split("/")[1]}`;
}

const SIDES = [64, 128, 256, 512];

export function blobUrl({ series, step, sample }: ImageSample): string {
  return `api/images/blob?${query(series, step, sample)}`;
}

/** Returns the URL of a thumbnail for `side` CSS pixels. Small images are not scaled, so that their pixels stay sharp. */
export function thumbUrl(shot: ImageSample, side: number | null): string {
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
  /** A minus B for each pixel: the mean of its channels, from −1 to 1. */
  by: Float32Array;
  /** Mean of |A − B| over all channels of all pixels, from 0 to 1. */
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
