/** Where everything of one chart lies: box, scales, ticks. */
import type { Box, Span } from "./box";
import { makeScale, type Scale, type ScaleKind } from "./scale";
import { xTicks, yLabels, yTicks, type XAxisTicks, type XKind } from "./ticks";

export interface FrameSpec {
  width: number;
  height: number;
  x: Span;
  xKind: XKind;
  y: Span;
  yKind: ScaleKind;
  bend: number;
  roomy: boolean;
}

export interface Frame {
  width: number;
  height: number;
  box: Box;
  x: Scale;
  y: Scale;
  xKind: XKind;
  xAxis: XAxisTicks;
  yTicks: number[];
  yLabels: string[];
  px(x: number): number;
  py(y: number): number;
}

const CARD = { gutter: 44, right: 12, top: 8, bottom: 24, yEvery: 38, xEvery: 76 };
const FULL = { gutter: 52, right: 16, top: 8, bottom: 28, yEvery: 64, xEvery: 108 };

export function makeFrame(spec: FrameSpec): Frame {
  const room = spec.roomy ? FULL : CARD;
  const y = makeScale(spec.yKind, spec.y, spec.bend);
  const ticks = yTicks(y, Math.max(2, (spec.height - room.top - room.bottom) / room.yEvery));
  const labels = yLabels(ticks, y);
  const widest = Math.max(0, ...labels.map((label) => label.length));
  const box: Box = {
    left: Math.max(room.gutter, widest * 6.2 + 14),
    right: spec.width - room.right,
    top: room.top,
    bottom: spec.height - room.bottom,
  };
  const [lo, hi] = spec.x[1] > spec.x[0] ? spec.x : [spec.x[0] - 0.5, spec.x[0] + 0.5];
  const x = makeScale("linear", [lo, hi]);
  const across = box.right - box.left;
  const up = box.bottom - box.top;
  return {
    width: spec.width,
    height: spec.height,
    box,
    x,
    y,
    xKind: spec.xKind,
    xAxis: xTicks(spec.xKind, lo, hi, Math.max(2, across / xSpacing(spec, room.xEvery))),
    yTicks: ticks,
    yLabels: labels,
    px: (v) => box.left + x.at(v) * across,
    py: (v) => box.bottom - y.at(v) * up,
  };
}

/** Large steps have long labels. */
function xSpacing(spec: FrameSpec, every: number): number {
  const digits = spec.xKind === "step" ? String(Math.round(Math.abs(spec.x[1]))).length : 6;
  return Math.max(every, digits * 9 + 16);
}
