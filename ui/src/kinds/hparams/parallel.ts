/** Drawing of parallel coordinates: a line for each trial through its values on all axes. */
import type { Span } from "../../charts/box";
import { drawLabel } from "../../charts/drawLabel";
import type { Pen } from "../../charts/pen";
import { paintRaster, pixelOf } from "../../charts/raster";
import { CHAR_PX, drawText, type Point, strokePoints, tickFont } from "../../charts/shapes";
import type { Theme } from "../../charts/theme";
import type { Axis } from "./axis";
import type { ColorScale } from "./colors";

export interface ParallelScene {
  axes: Axis[];
  /** On phones the axes lie, and the lines run down. */
  isVertical: boolean;
  /** Position across of the first and the last axis, and of the start of all axes. */
  across: Span;
  start: number;
  width: number;
  height: number;
  /** The trials in the background, and those that are selected, the best first. */
  faint: readonly number[];
  bright: readonly number[];
  colors: ColorScale;
  /** Parts of each axis that are brushed. */
  brushed: Span[][];
  theme: Theme;
}

/** More lines are painted pixel by pixel: the browser takes a second for 10,000 strokes. */
const MAX_STROKES = 500;
const CURVE_POINTS = 12;
const BLOCK_PX = 8;
const BRUSH_PX = 14;
const MIN_LABEL_PX = 13;
const FAINT_ALPHA = 0.45;

/** Position of an axis across the plot. */
export function axisAt({ axes, across: [from, to] }: ParallelScene, i: number): number {
  return Math.round(axes.length < 2 ? (from + to) / 2 : from + (i / (axes.length - 1)) * (to - from)) + 0.5;
}

/** A point from its positions across the plot and along the axes. */
function pointAt({ isVertical, start }: ParallelScene, across: number, along: number): Point {
  return isVertical ? [start + along, across] : [across, start + along];
}

/** How far a line has come from one axis to the next, at a share of the way. */
const ease = (share: number): number => share * share * (3 - 2 * share);

export function lineOf(scene: ParallelScene, row: number): Point[] {
  const points: Point[] = [];
  scene.axes.forEach((axis, i) => {
    const [at, along] = [axisAt(scene, i), axis.at[row]!];
    const half = axis.blocks.some(({ from, to }) => along >= from && along <= to) ? BLOCK_PX / 2 : 0;
    const last = points.length ? previous(scene, i, row) : null;
    if (last) {
      for (let k = 1; k < CURVE_POINTS; k++) {
        const share = k / CURVE_POINTS;
        const across = last.at + (at - half - last.at) * share;
        points.push(pointAt(scene, across, last.along + (along - last.along) * ease(share)));
      }
    }
    points.push(pointAt(scene, at - half, along));
    if (half) points.push(pointAt(scene, at + half, along));
  });
  return points;
}

function previous(scene: ParallelScene, i: number, row: number): { at: number; along: number } {
  const axis = scene.axes[i - 1]!;
  const along = axis.at[row]!;
  const half = axis.blocks.some(({ from, to }) => along >= from && along <= to) ? BLOCK_PX / 2 : 0;
  return { at: axisAt(scene, i - 1) + half, along };
}

export function drawParallel(pen: Pen, scene: ParallelScene): void {
  drawAxisLines(pen, scene);
  if (scene.faint.length + scene.bright.length > MAX_STROKES) paintLines(pen, scene);
  else strokeLines(pen, scene);
  drawBrushes(pen, scene);
  drawTicks(pen, scene);
}

function drawAxisLines(pen: Pen, scene: ParallelScene): void {
  const { theme } = scene;
  scene.axes.forEach((axis, i) => {
    const at = axisAt(scene, i);
    if (axis.scale) strokePoints(pen, [pointAt(scene, at, axis.from), pointAt(scene, at, axis.to)], theme.axis, 1);
    for (const { from, to } of axis.blocks) {
      pen.strokeStyle = theme.axis;
      pen.lineWidth = 1;
      pen.beginPath();
      traceBox(pen, scene, at, BLOCK_PX, [from - 1.5, to + 1.5]);
      pen.stroke();
    }
  });
}

function traceBox(pen: Pen, scene: ParallelScene, at: number, thickness: number, [from, to]: Span): void {
  const [x, y] = pointAt(scene, at - thickness / 2, from);
  if (scene.isVertical) pen.rect(x, y, to - from, thickness);
  else pen.rect(x, y, thickness, to - from);
}

function strokeLines(pen: Pen, scene: ParallelScene): void {
  const { theme, colors } = scene;
  pen.lineJoin = "round";
  pen.globalAlpha = FAINT_ALPHA;
  for (const row of scene.faint) strokePoints(pen, lineOf(scene, row), theme.axis, 1);
  pen.globalAlpha = 1;
  for (let i = scene.bright.length - 1; i >= 0; i--) {
    const row = scene.bright[i]!;
    strokePoints(pen, lineOf(scene, row), colors.colors[colors.step(row)] ?? theme.ink3, 1.4);
  }
}

/** Paints all lines into one image. Both are about as fast as copying it to the screen. */
function paintLines(pen: Pen, scene: ParallelScene): void {
  const { width, height, theme, colors } = scene;
  const image = paintRaster(Math.round(width), Math.round(height), (pixels) => {
    const faint = pixelOf(theme.axis, FAINT_ALPHA);
    for (const row of scene.faint) paintLine(pixels, scene, row, faint);
    const palette = colors.colors.map((color) => pixelOf(color));
    const unknown = pixelOf(theme.ink3);
    for (let i = scene.bright.length - 1; i >= 0; i--) {
      const row = scene.bright[i]!;
      paintLine(pixels, scene, row, palette[colors.step(row)] ?? unknown);
    }
  });
  pen.drawImage(image, 0, 0, width, height);
}

function paintLine(pixels: Uint32Array, scene: ParallelScene, row: number, color: number): void {
  const { axes, isVertical, start } = scene;
  const width = Math.round(scene.width);
  const height = Math.round(scene.height);
  const limit = isVertical ? width : height;
  for (let i = 1; i < axes.length; i++) {
    const [from, to] = [Math.round(axisAt(scene, i - 1)), Math.round(axisAt(scene, i))];
    const [a, b] = [start + axes[i - 1]!.at[row]!, start + axes[i]!.at[row]!];
    let before = Math.round(a);
    for (let across = from; across < to; across++) {
      const next = Math.round(a + (b - a) * ease((across + 1 - from) / (to - from)));
      const [lo, hi] = before < next ? [before, next] : [next, before];
      for (let along = Math.max(0, lo); along <= hi && along < limit; along++)
        pixels[isVertical ? across * width + along : along * width + across] = color;
      before = next;
    }
  }
}

function drawBrushes(pen: Pen, scene: ParallelScene): void {
  const { theme } = scene;
  scene.brushed.forEach((parts, i) => {
    for (const part of parts) {
      pen.beginPath();
      traceBox(pen, scene, axisAt(scene, i), BRUSH_PX, part);
      pen.globalAlpha = 0.14;
      pen.fillStyle = theme.accent;
      pen.fill();
      pen.globalAlpha = 1;
      pen.strokeStyle = theme.accent;
      pen.lineWidth = 1;
      pen.stroke();
    }
  });
}

function drawTicks(pen: Pen, scene: ParallelScene): void {
  scene.axes.forEach((axis, i) => {
    const at = axisAt(scene, i);
    for (const tick of axis.ticks) drawTick(pen, scene, tick.label, at, tick.at, false);
    let free = Infinity;
    for (const block of axis.blocks) {
      const along = scene.isVertical ? (block.from + block.to) / 2 : block.from - 8;
      // From the bottom up; a label that would touch the last one is left out.
      if (free - along < MIN_LABEL_PX && free !== Infinity) continue;
      free = along;
      const label = shorten(block.label, scene);
      drawTick(pen, scene, scene.isVertical ? label : `${label} ×${block.count}`, at, along, true);
    }
  });
}

const shorten = (label: string, { across: [from, to], axes }: ParallelScene): string => {
  const chars = Math.max(8, Math.floor((to - from) / Math.max(1, axes.length - 1) / CHAR_PX) - 5);
  return label.length > chars ? `${label.slice(0, chars - 1)}…` : label;
};

/** Writes a label beside the axis, or in its middle above a block. Lines pass below it. */
function drawTick(pen: Pen, scene: ParallelScene, label: string, at: number, along: number, isBlock: boolean): void {
  const width = label.length * CHAR_PX;
  const [x, y] = pointAt(scene, at, along);
  if (scene.isVertical)
    drawLabel(
      pen,
      label,
      Math.max(2, Math.min(scene.width - width - 2, x - width / 2)),
      y + (isBlock ? -14 : 12),
      scene.theme,
    );
  else if (isBlock)
    drawLabel(pen, label, Math.max(2, Math.min(scene.width - width - 2, x - width / 2)), y, scene.theme);
  else drawLabel(pen, label, Math.min(scene.width - width - 2, x + 9), y, scene.theme);
}

/** Draws one trial above the others, with its values. */
export function drawEmphasized(pen: Pen, scene: ParallelScene, row: number, labels: string[]): void {
  const { theme, colors } = scene;
  const line = lineOf(scene, row);
  strokePoints(pen, line, theme.surface, 6);
  strokePoints(pen, line, colors.colors[colors.step(row)] ?? theme.ink3, 3);
  scene.axes.forEach((axis, i) => {
    const [x, y] = pointAt(scene, axisAt(scene, i), axis.at[row]!);
    const width = labels[i]!.length * 6.8 + 8;
    const left = Math.max(0, Math.min(scene.width - width, x + 8));
    pen.fillStyle = theme.ink;
    pen.fillRect(left, y - 9, width, 18);
    drawText(pen, labels[i]!, left + 4, y, { font: `600 ${tickFont(theme)}`, color: theme.surface });
  });
}

/** Returns the trial whose line is nearest to a point, or null if none is near. */
export function lineAt(scene: ParallelScene, x: number, y: number, reach = 10): number | null {
  const [across, along] = scene.isVertical ? [y, x - scene.start] : [x, y - scene.start];
  const gaps = scene.axes.slice(1).map((_, i) => i);
  const gap = gaps.find((i) => across >= axisAt(scene, i) && across <= axisAt(scene, i + 1));
  if (gap === undefined) return null;
  const [from, to] = [axisAt(scene, gap), axisAt(scene, gap + 1)];
  const part = ease((across - from) / (to - from));
  const [a, b] = [scene.axes[gap]!.at, scene.axes[gap + 1]!.at];
  let [nearest, best] = [null as number | null, reach];
  for (const row of scene.bright) {
    const distance = Math.abs(a[row]! + (b[row]! - a[row]!) * part - along);
    if (distance < best) [nearest, best] = [row, distance];
  }
  return nearest;
}

/** Returns the axis at a point, and the position along it. */
export function axisNear(
  scene: ParallelScene,
  x: number,
  y: number,
  reach = 16,
): { index: number; along: number } | null {
  const [across, along] = scene.isVertical ? [y, x - scene.start] : [x, y - scene.start];
  const index = scene.axes.findIndex((_, i) => Math.abs(axisAt(scene, i) - across) <= reach);
  return index < 0 ? null : { index, along };
}
