/** Labels below the x axis: where each is written, and ticks whose labels do not overlap. */
import { type Box, type Span, widthOf } from "./box";
import { CHAR_PX } from "./shapes";
import type { XKind } from "./tickLabels";
import { type Ticks, xTicks } from "./ticks";

/** Distance that a label keeps from the right edge, and free pixels between two labels. */
const EDGE = 4;
const GAP = 10;
/** Pixels that a label may reach into the left margin. */
const INTO_MARGIN = 8;

export interface PlacedLabel {
  x: number;
  align: "left" | "right" | "center";
  /** Pixels that the label covers. */
  span: Span;
}

/** Centers a label below its tick, except where it would be cut off. `width` is that of the whole plot. */
export function placeXLabel(label: string, tick: number, { left }: Box, width: number): PlacedLabel {
  const length = label.length * CHAR_PX;
  const right = width - EDGE;
  if (tick - length / 2 < left - INTO_MARGIN) return { x: tick, align: "left", span: [tick, tick + length] };
  if (tick + length / 2 > right) return { x: right, align: "right", span: [right - length, right] };
  return { x: tick, align: "center", span: [tick - length / 2, tick + length / 2] };
}

/** Returns ticks with about `every` pixels between two, or more if their labels need it. */
export function fitXTicks(kind: XKind, [lo, hi]: Span, box: Box, width: number, every: number): Ticks {
  const px = (x: number): number => box.left + ((x - lo) / (hi - lo)) * widthOf(box);
  for (let wanted = Math.max(2, widthOf(box) / every); wanted >= 1; wanted *= 0.8) {
    const ticks = xTicks(kind, lo, hi, wanted);
    const spans = ticks.at.map((tick, i) => placeXLabel(ticks.labels[i]!, px(tick), box, width).span);
    if (spans.every(([start], i) => i === 0 || start - spans[i - 1]![1] >= GAP)) return ticks;
  }
  const { at, labels } = xTicks(kind, lo, hi, 1);
  return { at: at.slice(0, 1), labels: labels.slice(0, 1) };
}
