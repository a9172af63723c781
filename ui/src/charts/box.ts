/** Rectangles and ranges, shared by everything that draws. */

/** Rectangle in CSS pixels. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Range from a lower to an upper value. */
export type Span = readonly [number, number];

export const widthOf = (box: Box): number => box.right - box.left;
export const heightOf = (box: Box): number => box.bottom - box.top;

export function isInside({ left, top, right, bottom }: Box, x: number, y: number): boolean {
  return x >= left && x <= right && y >= top && y <= bottom;
}

/** Returns the range, widened by half a unit on both sides if it is a single value. That value is then in the middle. */
export const nonEmpty = ([lo, hi]: Span): Span => (hi > lo ? [lo, hi] : [lo - 0.5, lo + 0.5]);

export const clamp = (value: number, lo: number, hi: number): number => Math.max(lo, Math.min(hi, value));
