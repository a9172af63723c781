/** Band of a drag that zooms: the part of one axis between two pixels. */
import { type Box, clamp, heightOf, type Span, widthOf } from "./box";
import type { Frame } from "./frame";
import type { Pen } from "./pen";
import type { Theme } from "./theme";

export interface ZoomBand {
  axis: "x" | "y";
  from: number;
  to: number;
}

/** Returns the band between two points in pixels, limited to the box. */
export function makeZoomBand(box: Box, axis: "x" | "y", from: [number, number], to: [number, number]): ZoomBand {
  const [i, lo, hi] = axis === "x" ? ([0, box.left, box.right] as const) : ([1, box.top, box.bottom] as const);
  return { axis, from: clamp(from[i], lo, hi), to: clamp(to[i], lo, hi) };
}

/** Returns the values that a band spans. */
export function valuesOf(frame: Frame, { axis, from, to }: ZoomBand): Span {
  const at = axis === "x" ? frame.xAt : frame.yAt;
  const [a, b] = [at(from), at(to)];
  return [Math.min(a, b), Math.max(a, b)];
}

export function drawZoomBand(pen: Pen, { box }: Frame, { axis, from, to }: ZoomBand, theme: Theme): void {
  const start = Math.min(from, to);
  const length = Math.abs(to - from);
  const [x, y, width, height] =
    axis === "x"
      ? ([start, box.top - 4, length, heightOf(box) + 4] as const)
      : ([box.left, start, widthOf(box), length] as const);
  pen.fillStyle = theme.accent;
  pen.globalAlpha = 0.1;
  pen.fillRect(x, y, width, height);
  pen.globalAlpha = 1;
  pen.strokeStyle = theme.accent;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.rect(x + 0.5, y + 0.5, Math.max(0, width - 1), Math.max(0, height - 1));
  pen.stroke();
}
