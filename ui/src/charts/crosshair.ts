/** Crosshair and pinned step: vertical lines with a flag on the x axis. */
import { clamp } from "./box";
import type { Frame } from "./frame";
import type { Pen } from "./pen";
import { crisp, drawText, strokePoints } from "./shapes";
import type { Theme } from "./theme";
import { xLabel } from "./tickLabels";

/** Typical width of a character of a flag, which is bolder than a tick label. */
const FLAG_CHAR_PX = 6.4;

/** Draws the crosshair at a value of x. The one under the pointer (`hot`) is solid and has a flag. */
export function drawCrosshair(pen: Pen, frame: Frame, x: number, hot: boolean, theme: Theme): void {
  pen.globalAlpha = hot ? 1 : 0.7;
  drawVertical(pen, frame, x, { color: theme.ink3, width: 1, dash: hot ? [] : [2, 2] });
  pen.globalAlpha = 1;
}

export function drawCrosshairFlag(pen: Pen, frame: Frame, x: number, theme: Theme): void {
  const { text, center, width } = flagAt(frame, x, 12);
  const top = frame.box.bottom + 3;
  fillRounded(pen, center - width / 2, top, width, 18, theme.ink);
  drawFlagText(pen, text, center, top + 9.5, `500 11px ${theme.font}`, theme.surface);
}

export function drawPinnedStep(pen: Pen, frame: Frame, x: number, theme: Theme): void {
  drawVertical(pen, frame, x, { color: theme.accent, width: 1.5, dash: [] });
}

/** Extra width of the pinned step's flag, for its arrows. */
const ARROWS_PX = 32;

/** Draws the flag of the pinned step, with a tip on the axis, and with arrows because it can be dragged. */
export function drawPinnedFlag(pen: Pen, frame: Frame, x: number, theme: Theme): void {
  const { text, center, width } = flagAt(frame, x, ARROWS_PX);
  const tip = crisp(frame.px(x));
  const top = frame.box.bottom;
  pen.fillStyle = theme.accent;
  pen.beginPath();
  pen.moveTo(tip, top);
  pen.lineTo(tip + 6, top + 6);
  pen.lineTo(tip - 6, top + 6);
  pen.closePath();
  pen.fill();
  fillRounded(pen, center - width / 2, top + 5, width, 17, theme.accent);
  drawFlagText(pen, text, center, top + 13.5, `600 11px ${theme.font}`, theme.accentInk);
  for (const side of [-1, 1]) {
    const edge = center + side * (width / 2 - 8);
    const arrow = [
      [edge, top + 10.5],
      [edge + side * 3, top + 13.5],
      [edge, top + 16.5],
    ] as const;
    strokePoints(pen, arrow, theme.accentInk, 1.4);
  }
}

/** Whether a pixel is on the flag of the pinned step. */
export function isOnPinnedFlag(frame: Frame, pinned: number | null, px: number, py: number): boolean {
  if (pinned === null || pinned < frame.x.lo || pinned > frame.x.hi) return false;
  const { center, width } = flagAt(frame, pinned, ARROWS_PX);
  return py > frame.box.bottom - 2 && Math.abs(px - center) <= width / 2 + 2;
}

function drawVertical(
  pen: Pen,
  { box, px }: Frame,
  x: number,
  { color, width, dash }: { color: string; width: number; dash: number[] },
): void {
  const at = crisp(px(x));
  pen.setLineDash(dash);
  strokePoints(
    pen,
    [
      [at, box.top - 4],
      [at, box.bottom],
    ],
    color,
    width,
  );
  pen.setLineDash([]);
}

/** Returns the text and extent of a flag. Its center is kept within the plot. */
function flagAt(frame: Frame, x: number, padding: number): { text: string; center: number; width: number } {
  const text = xLabel(frame.xKind, x, frame.x.hi - frame.x.lo);
  const width = text.length * FLAG_CHAR_PX + padding;
  return { text, width, center: clamp(frame.px(x), width / 2 + 2, frame.width - width / 2 - 2) };
}

function drawFlagText(pen: Pen, text: string, x: number, y: number, font: string, color: string): void {
  drawText(pen, text, x, y, { font, color, align: "center" });
}

/** Fills a rectangle with corners of 2 px. */
function fillRounded(pen: Pen, x: number, y: number, width: number, height: number, color: string): void {
  pen.fillStyle = color;
  pen.strokeStyle = color;
  pen.lineJoin = "round";
  pen.lineWidth = 4;
  pen.beginPath();
  pen.rect(x + 2, y + 2, width - 4, height - 4);
  pen.stroke();
  pen.fill();
}
