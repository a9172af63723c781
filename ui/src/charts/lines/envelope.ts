/** Envelope of a downsampled line: the minimum and maximum of the values behind each pixel. */
import type { Span } from "../box";
import type { Pen } from "../pen";
import type { Line } from "./data";
import type { LineScene } from "./scene";
import { clampPixel } from "./strokes";

/** Fills one rectangle per pixel column, which costs a thirtieth of a jagged outline. */
export function fillEnvelope(pen: Pen, { frame, data, look }: LineScene, line: Line, [from, to]: Span): void {
  const { lo, hi } = line as Required<Line>;
  const limit = (value: number): number => clampPixel(frame.py(value), frame.height);
  pen.fillStyle = look(line).color;
  let left = NaN;
  let [top, bottom] = [0, 0];
  for (let i = from; i < to; i++) {
    if (lo[i]! !== lo[i]!) continue;
    const x = Math.round(frame.px(data.x[i]!));
    const [high, low] = [limit(hi[i]!), limit(lo[i]!)];
    if (x === left) {
      top = Math.min(top, high);
      bottom = Math.max(bottom, low);
      continue;
    }
    // Between two cells that are more than a pixel apart, the envelope is interpolated.
    for (let column = left; column < x; column++) {
      const share = (column - left) / (x - left);
      pen.fillRect(column, top + (high - top) * share, 1, bottom - top + (low - high - bottom + top) * share);
    }
    [left, top, bottom] = [x, high, low];
  }
  if (left === left) pen.fillRect(left, top, 1, bottom - top);
}
