/** The picture of many lines: darker where more of them pass. */
import type { Density } from "./data";
import type { Box } from "../box";
import type { Pen } from "../pen";
import { makeScale, type Scale } from "../scale";
import type { Theme } from "../theme";

const pictures = new WeakMap<Density, { ink: string; canvas: HTMLCanvasElement }>();

/** Logarithmic in the count, so that one stray line is seen beside a bundle of five hundred. */
export function strength(count: number, most: number): number {
  return count === 0 ? 0 : 0.1 + 0.55 * (Math.log1p(count) / Math.log1p(most));
}

function picture(density: Density, ink: string): HTMLCanvasElement {
  const known = pictures.get(density);
  if (known?.ink === ink) return known.canvas;
  const canvas = document.createElement("canvas");
  canvas.width = density.width;
  canvas.height = density.height;
  const context = canvas.getContext("2d")!;
  context.fillStyle = ink;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  const image = context.createImageData(density.width, density.height);
  const most = density.count.reduce((a, b) => Math.max(a, b), 1);
  density.count.forEach((count, i) => image.data.set([red!, green!, blue!, 255 * strength(count, most)], i * 4));
  context.putImageData(image, 0, 0);
  pictures.set(density, { ink, canvas });
  return canvas;
}

export function drawDensity(pen: Pen, density: Density, box: Box, x: Scale, y: Scale, theme: Theme): void {
  const canvas = picture(density, theme.ink3);
  const left = box.left + x.at(density.x[0]) * (box.right - box.left);
  const right = box.left + x.at(density.x[1]) * (box.right - box.left);
  const height = (value: number): number => box.bottom - y.at(value) * (box.bottom - box.top);
  const [low, high] = density.y;
  if (y.kind === density.scale) {
    pen.drawImage(canvas, left, height(high), right - left, height(low) - height(high));
    return;
  }
  // The rows are even on the picture's own scale; on another each gets its own height.
  const rows = makeScale(density.scale, density.y);
  const row = document.createElement("canvas");
  row.width = density.width;
  row.height = 1;
  const context = row.getContext("2d")!;
  for (let r = 0; r < density.height; r++) {
    const top = height(rows.value(1 - r / density.height));
    const bottom = height(rows.value(1 - (r + 1) / density.height));
    if (!Number.isFinite(top)) break;
    context.clearRect(0, 0, density.width, 1);
    context.drawImage(canvas, 0, -r);
    pen.drawImage(row, left, top, right - left, (Number.isFinite(bottom) ? bottom : box.bottom) - top);
  }
}
