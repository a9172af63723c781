/** Small shapes and text, drawn with a pen. */
import type { Pen } from "./pen";
import type { Theme } from "./theme";

export type Point = readonly [x: number, y: number];

/** Typical width of a character at 11 px. Text is not measured, because an SVG has nothing to measure with. */
export const CHAR_PX = 6.2;

/** Returns the pixel center nearest to a coordinate. A line of 1 px through it is sharp. */
export const crisp = (v: number): number => Math.round(v) + 0.5;

export function tickFont(theme: Theme): string {
  return `11px ${theme.font}`;
}

export interface TextStyle {
  font: string;
  color: string;
  align?: CanvasTextAlign;
}

/** Writes text whose middle is at `y`. */
export function drawText(
  pen: Pen,
  text: string,
  x: number,
  y: number,
  { font, color, align = "left" }: TextStyle,
): void {
  pen.font = font;
  pen.textAlign = align;
  pen.textBaseline = "middle";
  pen.fillStyle = color;
  pen.fillText(text, x, y);
}

/** Starts a path through the points. */
export function tracePoints(pen: Pen, points: Iterable<Point>): void {
  pen.beginPath();
  for (const [x, y] of points) pen.lineTo(x, y);
}

export function strokePoints(pen: Pen, points: Iterable<Point>, color: string, width: number): void {
  pen.strokeStyle = color;
  pen.lineWidth = width;
  tracePoints(pen, points);
  pen.stroke();
}

export function fillCircle(pen: Pen, x: number, y: number, radius: number, color: string): void {
  pen.fillStyle = color;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
}

/** Draws a dot with a ring around it that separates it from what is below. */
export function drawDot(pen: Pen, x: number, y: number, radius: number, color: string, ring: string): void {
  fillCircle(pen, x, y, radius + 1.5, ring);
  fillCircle(pen, x, y, radius, color);
}
