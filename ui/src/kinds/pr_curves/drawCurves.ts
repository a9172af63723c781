/** Drawing of PR and ROC curves, with the point of a threshold on each. */
import { drawAxes } from "../../charts/axes";
import type { Box } from "../../charts/box";
import { type Frame, makeFrame } from "../../charts/frame";
import type { Pen } from "../../charts/pen";
import { makeScale } from "../../charts/scale";
import { crisp, drawDot, drawText, fillCircle, type Point, strokePoints, tickFont } from "../../charts/shapes";
import type { Theme } from "../../charts/theme";
import { linearTicks, type Ticks } from "../../charts/ticks";
import type { Coordinates, Space } from "./curve";
import type { Zoom } from "./settings";

export interface Line extends Coordinates {
  run: string;
  step: number;
  color: string;
  dash: readonly number[];
  /** Below 1 for earlier steps. */
  opacity: number;
  /** Index of the threshold to mark. */
  marked: number | null;
}

export interface Scene {
  space: Space;
  /** In the order of drawing. */
  lines: Line[];
  /** The run to draw above the others, with guides to the axes if the chart is large. */
  emphasized: string | null;
  large: boolean;
  zoom: Zoom | null;
}

export interface Pointed {
  line: Line;
  index: number;
}

const EVERYTHING: Zoom = [0, 1, 0, 1];
const F1_LEVELS = [0.2, 0.4, 0.6, 0.8, 0.9, 0.95];
/** Distance between labels of F1. */
const F1_LABEL_PX = 14;
const REACH_PX = 28;

export function curveFrame({ large, zoom }: Scene, width: number, height: number): Frame {
  const [left, right, bottom, top] = (large && zoom) || EVERYTHING;
  const box: Box = {
    left: 44,
    top: large ? 26 : 10,
    right: Math.max(45, width - (large ? 52 : 16)),
    bottom: Math.max(11, height - (large ? 42 : 26)),
  };
  const [x, y] = [makeScale("linear", [left, right]), makeScale("linear", [bottom, top])];
  return makeFrame({
    width,
    height,
    box,
    x,
    y,
    xKind: "value",
    xTicks: linearTicks(left, right, Math.max(2, (box.right - box.left) / 90)),
    yTicks: linearTicks(bottom, top, Math.max(2, (box.bottom - box.top) / 50)),
  });
}

export function drawCurves(pen: Pen, frame: Frame, scene: Scene, theme: Theme): void {
  const { box } = frame;
  const emphasized = scene.lines.find(({ run, opacity }) => run === scene.emphasized && opacity === 1);
  const isAbove = (line: Line): boolean => line === emphasized;
  const flags = scene.large && emphasized ? insideMark(frame, emphasized) : null;
  drawAxes(pen, flags ? withoutTicksNear(frame, flags) : frame, theme);
  if (scene.large) drawAxisNames(pen, frame, scene.space, theme);
  if (scene.space === "roc") drawDiagonal(pen, frame, theme);
  else if (scene.large) drawF1Levels(pen, frame, theme);
  pen.save();
  pen.beginPath();
  pen.rect(box.left, box.top - 3, box.right - box.left + 3, box.bottom - box.top + 6);
  pen.clip();
  const lines = [...scene.lines.filter((line) => !isAbove(line)), ...scene.lines.filter(isAbove)];
  for (const line of lines) drawLine(pen, frame, line, isAbove(line), theme);
  for (const line of lines) drawMark(pen, frame, line, isAbove(line), theme);
  pen.restore();
  if (flags) drawGuides(pen, frame, emphasized!, flags, theme);
}

/** Draws the point under the pointer. */
export function drawPointed(pen: Pen, { px, py }: Frame, { line, index }: Pointed, theme: Theme): void {
  const [x, y] = [px(line.x[index]!), py(line.y[index]!)];
  fillCircle(pen, x, y, 7, theme.ink);
  drawDot(pen, x, y, 4, line.color, theme.surface);
}

/** Returns the point of a line that is nearest to a pixel. */
export function pointAt({ px, py, box }: Frame, { lines }: Scene, at: { x: number; y: number }): Pointed | null {
  let best: Pointed | null = null;
  let nearest = REACH_PX;
  for (const line of lines) {
    for (let index = 0; index < line.x.length; index++) {
      const [x, y] = [px(line.x[index]!), py(line.y[index]!)];
      const distance = Math.hypot(x - at.x, y - at.y);
      // Of points at one place, that of the current step and the lowest threshold counts.
      const isNearer =
        distance < nearest - 1e-6 || (distance < nearest + 1e-6 && best && line.opacity > best.line.opacity);
      if (!isNearer || !isNear(box, x, y)) continue;
      [best, nearest] = [{ line, index }, distance];
    }
  }
  return best;
}

function drawLine(pen: Pen, { px, py }: Frame, line: Line, isAbove: boolean, theme: Theme): void {
  // A point that is not a number interrupts the line.
  const pieces: Point[][] = [[]];
  for (let i = 0; i < line.x.length; i++) {
    const [x, y] = [px(line.x[i]!), py(line.y[i]!)];
    if (Number.isFinite(x + y)) pieces.at(-1)!.push([x, y]);
    else if (pieces.at(-1)!.length) pieces.push([]);
  }
  for (const piece of pieces) {
    if (piece.length === 1) fillCircle(pen, ...piece[0]!, 2, line.color);
    if (isAbove) strokePoints(pen, piece, theme.surface, 4.5);
    pen.globalAlpha = line.opacity;
    pen.setLineDash([...line.dash]);
    strokePoints(pen, piece, line.color, isAbove ? 2.5 : line.opacity < 1 ? 1.25 : 1.75);
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }
}

/** Returns the pixels of the marked point, unless it is not a point of the line. */
function markOf({ px, py }: Frame, { x, y, marked }: Line): Point | null {
  if (marked === null || marked >= x.length) return null;
  const at = [px(x[marked]!), py(y[marked]!)] as const;
  return Number.isFinite(at[0] + at[1]) ? at : null;
}

function drawMark(pen: Pen, frame: Frame, line: Line, isAbove: boolean, theme: Theme): void {
  const at = markOf(frame, line);
  if (!at) return;
  if (isAbove) fillCircle(pen, ...at, 8, theme.ink);
  drawDot(pen, ...at, isAbove ? 5 : 3.5, line.color, theme.surface);
}

/** Returns the pixels of the marked point if it is inside the plot. */
function insideMark(frame: Frame, line: Line): Point | null {
  const at = markOf(frame, line);
  return at && isNear(frame.box, ...at) ? at : null;
}

/** Whether a pixel is in the box, or on its edge. */
const isNear = ({ left, right, top, bottom }: Box, x: number, y: number): boolean =>
  x >= left - 1 && x <= right + 1 && y >= top - 1 && y <= bottom + 1;

/** Leaves out the ticks whose labels the flags of the guides would cover. */
function withoutTicksNear(frame: Frame, [x, y]: Point): Frame {
  const keep = ({ at, labels }: Ticks, isKept: (tick: number) => boolean): Ticks => ({
    at: at.filter(isKept),
    labels: labels.filter((_, i) => isKept(at[i]!)),
  });
  return {
    ...frame,
    xTicks: keep(frame.xTicks, (tick) => Math.abs(frame.px(tick) - x) > 36),
    yTicks: keep(frame.yTicks, (tick) => Math.abs(frame.py(tick) - y) > 16),
  };
}

function drawGuides(pen: Pen, frame: Frame, line: Line, at: Point, theme: Theme): void {
  const { left, bottom } = frame.box;
  pen.setLineDash([2, 2]);
  strokePoints(pen, [[crisp(at[0]), at[1] + 9], [crisp(at[0]), bottom]], theme.ink3, 1); // prettier-ignore
  strokePoints(pen, [[left, crisp(at[1])], [at[0] - 9, crisp(at[1])]], theme.ink3, 1); // prettier-ignore
  pen.setLineDash([]);
  drawFlag(pen, line.x[line.marked!]!, at[0], bottom + 12, theme);
  drawFlag(pen, line.y[line.marked!]!, left - 23, at[1], theme);
}

function drawFlag(pen: Pen, value: number, x: number, y: number, theme: Theme): void {
  pen.fillStyle = theme.ink;
  pen.fillRect(x - 21, y - 9, 42, 18);
  drawText(pen, value.toFixed(3), x, y, { font: `500 ${tickFont(theme)}`, color: theme.surface, align: "center" });
}

function drawAxisNames(pen: Pen, { box }: Frame, space: Space, theme: Theme): void {
  const style = { font: `500 ${tickFont(theme)}`, color: theme.ink2 };
  const [across, up] = space === "pr" ? ["recall", "precision"] : ["false positive rate", "true positive rate"];
  drawText(pen, across, (box.left + box.right) / 2, box.bottom + 31, { ...style, align: "center" });
  drawText(pen, up, 10, 10, style);
}

function drawDiagonal(pen: Pen, { px, py }: Frame, theme: Theme): void {
  pen.setLineDash([2, 3]);
  strokePoints(pen, [[px(0), py(0)], [px(1), py(1)]], theme.axis, 1); // prettier-ignore
  pen.setLineDash([]);
}

/** Draws lines of equal F1, with labels at the right edge. */
function drawF1Levels(pen: Pen, { px, py, box, x, y }: Frame, theme: Theme): void {
  let lowestLabel = -Infinity;
  for (const level of [...F1_LEVELS].reverse()) {
    const points: Point[] = [];
    for (let i = 0; i <= 80; i++) {
      const recall = x.lo + ((x.hi - x.lo) * i) / 80;
      const precision = (level * recall) / (2 * recall - level);
      if (recall > level / 2 && precision <= y.hi && precision >= y.lo) points.push([px(recall), py(precision)]);
    }
    if (points.length < 2) continue;
    pen.setLineDash([2, 3]);
    strokePoints(pen, points, theme.axis, 1);
    pen.setLineDash([]);
    const [right, at] = points.at(-1)!;
    if (right < box.right - 2 || at < lowestLabel + F1_LABEL_PX) continue;
    lowestLabel = at;
    drawText(pen, `F1 ${level}`, box.right + 6, at, { font: tickFont(theme), color: theme.ink3 });
  }
}
