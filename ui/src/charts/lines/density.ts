/** Density of the lines that are not drawn one by one: darker where more of them pass. */
import type { Frame } from "../frame";
import type { Pen } from "../pen";
import { paintRaster, pixelOf } from "../raster";
import { makeScale } from "../scale";
import type { Theme } from "../theme";
import type { Density } from "./data";
import { columnX } from "./nearest";
import { findSpikes, type Spike, strokeSpike } from "./spikes";

const SPIKE_PX = 1;

const images = new WeakMap<Density, { color: string; image: HTMLCanvasElement }>();

/** Returns the opacity for a count. It is logarithmic, so that a single line is visible beside a bundle of five hundred. */
export function opacityOf(count: number, max: number): number {
  return count === 0 ? 0 : 0.1 + 0.55 * (Math.log1p(count) / Math.log1p(max));
}

function imageOf(density: Density, color: string): HTMLCanvasElement {
  const known = images.get(density);
  if (known?.color === color) return known.image;
  const max = density.count.reduce((a, b) => Math.max(a, b), 1);
  const pixels = Array.from({ length: max + 1 }, (_, count) => pixelOf(color, opacityOf(count, max)));
  const image = paintRaster(density.width, density.height, (out) =>
    density.count.forEach((count, i) => (out[i] = pixels[count]!)),
  );
  images.set(density, { color, image });
  return image;
}

const spikes = new WeakMap<Density, Spike[]>();

function spikesOf(density: Density): Spike[] {
  let found = spikes.get(density);
  if (!found) spikes.set(density, (found = findDensitySpikes(density)));
  return found;
}

/** Compares maxima with maxima and minima with minima: they belong to different lines, which may be far apart. */
function findDensitySpikes({ lo, hi }: Density): Spike[] {
  return [
    ...findSpikes(hi, hi).filter(({ value, bound }) => value > bound),
    ...findSpikes(lo, lo).filter(({ value, bound }) => value < bound),
  ];
}

export function drawDensity(pen: Pen, density: Density, frame: Frame, theme: Theme): void {
  drawImage(pen, density, frame, theme);
  drawDensitySpikes(pen, density, frame, theme);
}

/** Draws the spikes at full strength: one line of five hundred is faint in the image, and what smoothing hides is not in it. */
export function drawDensitySpikes(pen: Pen, density: Density, frame: Frame, theme: Theme): void {
  for (const { index, value, bound } of spikesOf(density)) {
    const spike = { x: columnX(density, index), from: bound, to: value };
    strokeSpike(pen, frame, spike, { color: theme.ink3, width: SPIKE_PX });
  }
}

function drawImage(pen: Pen, density: Density, { box, px, py, y }: Frame, theme: Theme): void {
  const image = imageOf(density, theme.ink3);
  const left = px(density.x[0]);
  const width = px(density.x[1]) - left;
  const [low, high] = density.y;
  if (y.kind === density.scale) {
    pen.drawImage(image, left, py(high), width, py(low) - py(high));
    return;
  }
  // The rows have equal heights on the scale of the density. On another scale, each row gets its own height.
  const rows = makeScale(density.scale, density.y);
  const row = document.createElement("canvas");
  row.width = density.width;
  row.height = 1;
  const context = row.getContext("2d")!;
  for (let r = 0; r < density.height; r++) {
    const top = py(rows.value(1 - r / density.height));
    const bottom = py(rows.value(1 - (r + 1) / density.height));
    if (!Number.isFinite(top)) break;
    context.clearRect(0, 0, density.width, 1);
    context.drawImage(image, 0, -r);
    pen.drawImage(row, left, top, width, (Number.isFinite(bottom) ? bottom : box.bottom) - top);
  }
}
