/** Draws a projection: points or thumbnails, rings around what was found or selected, trails and labels. On screen, as PNG and as SVG. */
import { drawAxesCross } from "../../charts/orbit";
import { paintRaster, pixelOf } from "../../charts/raster";
import type { Pen } from "../../charts/pen";
import { drawText, fillCircle, type Point, strokePoints } from "../../charts/shapes";
import type { Theme } from "../../charts/theme";
import type { Camera, Placed } from "./camera";
import type { Label } from "./labels";
import { type Dots, radiusOf, splat } from "./splat";

/** Thumbnails, in one image. */
export interface Sprites {
  image: CanvasImageSource;
  width: number;
  height: number;
  /** Thumbnails per line. */
  columns: number;
}

export interface PointScene extends Dots {
  /** Colors as CSS colors, for the few points that are drawn one by one. */
  colorOf(row: number): string;
  found: readonly number[];
  selected: number | null;
  neighbors: readonly number[];
  hovered: number | null;
  trails: readonly Point[][];
  labels: readonly Label[];
  sprites: Sprites | null;
  /** In three dimensions. */
  camera: Camera | null;
}

/** More thumbnails than this would only cover each other. */
const MAX_SPRITES = 2000;
const SPRITE_PX = 24;
const WEAK_ALPHA = 0.25;
const MAX_RINGS = 2000;
/** More lines would hide the points. All neighbors are in the list. */
const MAX_NEIGHBORS = 50;

export function drawPoints(
  pen: Pen,
  scene: PointScene,
  { width, height, ratio, theme }: { width: number; height: number; ratio: number; theme: Theme },
): void {
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  const visible = scene.sprites ? onScreen(scene, width, height) : [];
  const hasSprites = scene.sprites !== null && visible.length <= MAX_SPRITES;
  const raster = paintRaster(across, down, (pixels) => {
    pixels.fill(pixelOf(theme.surface));
    if (!hasSprites) splat(pixels, across, down, scene, ratio);
  });
  if (hasSprites) drawSprites(raster, scene.sprites!, scene, visible, ratio);
  pen.drawImage(raster, 0, 0, width, height);
  for (const trail of scene.trails) strokeTrail(pen, trail, theme);
  drawRings(pen, scene, theme);
  for (const { text, x, y, isStrong } of scene.labels) drawHalo(pen, text, x, y, isStrong, theme);
  if (scene.camera && scene.placed.near) drawAxesCross(pen, scene.camera, [48, height - 44], theme);
}

function onScreen({ placed: { x, y }, shown }: PointScene, width: number, height: number): number[] {
  const rows: number[] = [];
  for (let i = 0; i < x.length && rows.length <= MAX_SPRITES; i++)
    if (shown[i] && x[i]! >= 0 && x[i]! <= width && y[i]! >= 0 && y[i]! <= height) rows.push(i);
  return rows;
}

/** Draws thumbnails, each framed in the color of its point. */
function drawSprites(
  raster: HTMLCanvasElement,
  { image, width, height, columns }: Sprites,
  { placed, strong, colorOf }: PointScene,
  rows: number[],
  ratio: number,
): void {
  const context = raster.getContext("2d")!;
  const scale = (SPRITE_PX * ratio) / Math.max(width, height);
  const [w, h, frame] = [width * scale, height * scale, 2 * ratio];
  for (const row of rows) {
    const [left, top] = [placed.x[row]! * ratio - w / 2, placed.y[row]! * ratio - h / 2];
    context.globalAlpha = strong[row] ? 1 : WEAK_ALPHA;
    context.fillStyle = colorOf(row);
    context.fillRect(left - frame, top - frame, w + 2 * frame, h + 2 * frame);
    context.drawImage(
      image,
      (row % columns) * width,
      Math.floor(row / columns) * height,
      width,
      height,
      left,
      top,
      w,
      h,
    );
  }
}

function strokeTrail(pen: Pen, trail: readonly Point[], theme: Theme): void {
  pen.globalAlpha = 0.5;
  strokePoints(pen, trail, theme.ink2, 1);
  pen.globalAlpha = 1;
}

function drawRings(pen: Pen, scene: PointScene, theme: Theme): void {
  const { placed, found, selected, hovered, colorOf } = scene;
  const neighbors = scene.neighbors.slice(0, MAX_NEIGHBORS);
  const radius = radiusOf(placed.x.length);
  const ring = (row: number, size: number, color: string): void => {
    const [x, y] = [placed.x[row]!, placed.y[row]!];
    if (Number.isNaN(x)) return;
    fillCircle(pen, x, y, size + 3, theme.surface);
    fillCircle(pen, x, y, size + 1.75, color);
    fillCircle(pen, x, y, size, theme.surface);
    fillCircle(pen, x, y, size - 1.25, colorOf(row));
  };
  for (const row of found.slice(0, MAX_RINGS)) ring(row, radius + 1.5, theme.accent);
  if (selected !== null)
    for (const row of neighbors) strokePoints(pen, [pointOf(placed, selected), pointOf(placed, row)], theme.ink3, 1);
  for (const row of neighbors) ring(row, radius + 2, theme.ink);
  if (hovered !== null) ring(hovered, radius + 2, theme.ink2);
  if (selected !== null) ring(selected, radius + 4.5, theme.ink);
}

const pointOf = ({ x, y }: Placed, row: number): Point => [x[row]!, y[row]!];

/** Writes a label with an outline in the color of the surface. An SVG has no outline of text, so the outline is four copies. */
function drawHalo(pen: Pen, text: string, x: number, y: number, isStrong: boolean, theme: Theme): void {
  const style = { font: `${isStrong ? 600 : 400} ${isStrong ? 12 : 11}px ${theme.font}`, align: "center" as const };
  for (const [dx, dy] of [
    [-1, -1],
    [1, -1],
    [-1, 1],
    [1, 1],
  ] as const)
    drawText(pen, text, x + dx, y + dy, { ...style, color: theme.surface });
  drawText(pen, text, x, y, { ...style, color: isStrong ? theme.ink : theme.ink2 });
}
