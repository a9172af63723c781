/** Paints points as small disks, pixel by pixel. A canvas path per point is too slow for 100,000 points without a GPU. */
import type { Placed } from "./camera";

export interface Dots {
  placed: Placed;
  /** Color of each point as a pixel, see `pixelOf`. */
  colors: Uint32Array;
  /** 1 for points that are drawn at full strength, 0 for those that stay in the background. */
  strong: Uint8Array;
  /** 1 for points that are drawn at all. */
  shown: Uint8Array;
}

/** More points get smaller disks, so that dense regions keep their shape. */
const RADII: readonly [count: number, radius: number][] = [
  [1_000, 3.2],
  [5_000, 2.4],
  [20_000, 2.1],
  [100_000, 1.5],
  [400_000, 1],
];
const SMALLEST_RADIUS = 0.75;
/** Parts of 256. */
const OPACITY = 170;
const WEAK_OPACITY = 40;
const DEPTH_LEVELS = 64;

export function radiusOf(count: number): number {
  return RADII.find(([most]) => count <= most)?.[1] ?? SMALLEST_RADIUS;
}

/** Paints all points on a picture of opaque pixels. `ratio` is the number of pixels per CSS pixel. */
export function splat(
  pixels: Uint32Array,
  width: number,
  height: number,
  { placed, colors, strong, shown }: Dots,
  ratio: number,
): void {
  const radius = radiusOf(colors.length) * ratio;
  const disks = Array.from({ length: placed.near ? 3 : 1 }, (_, i) =>
    diskOf(radius * (placed.near ? 0.7 + 0.3 * i : 1)),
  );
  for (const row of drawingOrder(placed, strong)) {
    if (!shown[row]) continue;
    const near = placed.near?.[row] ?? 0;
    const disk = disks[placed.near ? Math.min(2, Math.floor((near + 1) * 1.5)) : 0]!;
    const opacity = strong[row] ? OPACITY * (1 + 0.4 * near) : WEAK_OPACITY;
    paint(pixels, width, height, placed.x[row]! * ratio, placed.y[row]! * ratio, disk, colors[row]!, opacity);
  }
}

interface Disk {
  /** Pixels from the middle to the edge of the square that holds the disk. */
  reach: number;
  /** How much of each pixel of the square is covered, 0 to 256, row by row. */
  cover: Uint16Array;
}

/** Returns a disk with soft edges: the share of each pixel that it covers, from 16 samples. */
function diskOf(radius: number): Disk {
  const reach = Math.ceil(radius);
  const side = 2 * reach + 1;
  const cover = new Uint16Array(side * side);
  const samples = [-0.375, -0.125, 0.125, 0.375];
  for (let y = -reach; y <= reach; y++)
    for (let x = -reach; x <= reach; x++) {
      const inside = samples.flatMap((dy) => samples.filter((dx) => Math.hypot(x + dx, y + dy) <= radius)).length;
      cover[(y + reach) * side + x + reach] = inside * 16;
    }
  return { reach, cover };
}

function paint(
  pixels: Uint32Array,
  width: number,
  height: number,
  x: number,
  y: number,
  { reach, cover }: Disk,
  color: number,
  opacity: number,
): void {
  // NaN fails every comparison, so a point without a position is not painted.
  if (!(x >= -reach && x < width + reach && y >= -reach && y < height + reach)) return;
  const [left, top, side] = [Math.round(x - 0.5) - reach, Math.round(y - 0.5) - reach, 2 * reach + 1];
  const [r, g, b] = [color & 255, (color >> 8) & 255, (color >> 16) & 255];
  for (let j = Math.max(0, -top); j < side && top + j < height; j++) {
    for (let i = Math.max(0, -left); i < side && left + i < width; i++) {
      const covered = cover[j * side + i]!;
      if (covered === 0) continue;
      const share = (covered * opacity) >> 8;
      const at = (top + j) * width + left + i;
      const below = pixels[at]!;
      const mixed = (from: number, to: number): number => from + (((to - from) * share) >> 8);
      pixels[at] =
        0xff000000 |
        (mixed((below >> 16) & 255, b) << 16) |
        (mixed((below >> 8) & 255, g) << 8) |
        mixed(below & 255, r);
    }
  }
}

/** Weak points first, then from far to near. Otherwise in the order of the rows. */
function drawingOrder({ x, near }: Placed, strong: Uint8Array): Uint32Array {
  const level = (row: number): number =>
    strong[row]! * DEPTH_LEVELS +
    (near ? Math.min(DEPTH_LEVELS - 1, Math.floor((near[row]! + 1) * (DEPTH_LEVELS / 2))) : 0);
  const starts = new Uint32Array(2 * DEPTH_LEVELS + 1);
  for (let row = 0; row < x.length; row++) starts[(level(row) || 0) + 1]! += 1;
  for (let i = 1; i < starts.length; i++) starts[i]! += starts[i - 1]!;
  const order = new Uint32Array(x.length);
  for (let row = 0; row < x.length; row++) order[starts[level(row) || 0]!++] = row;
  return order;
}
