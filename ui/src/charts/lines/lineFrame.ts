/** Layout of a line chart: margins and ticks that fit its size. */
import { type Box, heightOf, nonEmpty, type Span } from "../box";
import { type Frame, makeFrame } from "../frame";
import { makeScale, type ScaleKind } from "../scale";
import { CHAR_PX } from "../shapes";
import { longest, type XKind } from "../tickLabels";
import { valueTicks } from "../ticks";
import { fitXTicks } from "../xLabels";

export interface LineFrameSpec {
  width: number;
  height: number;
  x: Span;
  xKind: XKind;
  y: Span;
  yKind: ScaleKind;
  bend: number;
  roomy: boolean;
  /** The second y axis, of the same kind. */
  right?: { y: Span };
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
  box.left = Math.max(margin.left, longest(ticksOfY.labels) * CHAR_PX + 14);
  const span = nonEmpty(spec.x);
  const rightY = spec.right && makeScale(spec.yKind, spec.right.y, spec.bend);
  const ticksOfRight = rightY && valueTicks(rightY, Math.max(2, heightOf(box) / margin.yEvery));
  if (ticksOfRight) box.right = width - Math.max(margin.right, longest(ticksOfRight.labels) * CHAR_PX + 14);
  const ticksOfX = fitXTicks(xKind, span, box, width, margin.xEvery);
  const x = makeScale("linear", span);
  const common = { width, height, box, x, xKind, xTicks: ticksOfX };
  const right = rightY && makeFrame({ ...common, y: rightY, yTicks: ticksOfRight! });
  return makeFrame({ ...common, y, yTicks: ticksOfY, right });
}
