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
