/** Layout of a line chart: margins and ticks that fit its size. */
import { type Box, heightOf, nonEmpty, type Span, widthOf } from "../box";
import { type Frame, makeFrame } from "../frame";
import { makeScale, type ScaleKind } from "../scale";
import { CHAR_PX } from "../shapes";
import type { XKind } from "../tickLabels";
import { valueTicks, xTicks } from "../ticks";

export interface LineFrameSpec {
  width: number;
  height: number;
  x: Span;
  xKind: XKind;
  y: Span;
  yKind: ScaleKind;
  bend: number;
  roomy: boolean;
}

/** Margins, and the pixels between two ticks. */
const CARD = { left: 44, right: 12, top: 8, bottom: 24, yEvery: 38, xEvery: 76 };
const FULL = { left: 52, right: 16, top: 8, bottom: 28, yEvery: 64, xEvery: 108 };

export function makeLineFrame(spec: LineFrameSpec): Frame {
  const { width, height, xKind } = spec;
  const margin = spec.roomy ? FULL : CARD;
  const box: Box = { left: 0, top: margin.top, right: width - margin.right, bottom: height - margin.bottom };
  const y = makeScale(spec.yKind, spec.y, spec.bend);
  const ticksOfY = valueTicks(y, Math.max(2, heightOf(box) / margin.yEvery));
  const longest = Math.max(0, ...ticksOfY.labels.map((label) => label.length));
  box.left = Math.max(margin.left, longest * CHAR_PX + 14);
  const span = nonEmpty(spec.x);
  const ticksOfX = xTicks(xKind, ...span, Math.max(2, widthOf(box) / xSpacing(spec, margin.xEvery)));
  const x = makeScale("linear", span);
  return makeFrame({ width, height, box, x, y, xKind, xTicks: ticksOfX, yTicks: ticksOfY });
}

/** Returns the pixels between two x ticks. Large steps have long labels. */
function xSpacing(spec: LineFrameSpec, every: number): number {
  const digits = spec.xKind === "step" ? String(Math.round(Math.abs(spec.x[1]))).length : 6;
  return Math.max(every, digits * 9 + 16);
}
