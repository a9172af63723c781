/** Rectangle that a drag selects. */
import type { Pen } from "./pen";
import type { Place } from "./pointer";

export interface Brush {
  from: Place;
  to: Place;
}

const FILL_ALPHA = 0.14;

export function fillBrush(pen: Pen, { from, to }: Brush, color: string): void {
  pen.fillStyle = color;
  pen.globalAlpha = FILL_ALPHA;
  pen.fillRect(from.x, from.y, to.x - from.x, to.y - from.y);
  pen.globalAlpha = 1;
}
