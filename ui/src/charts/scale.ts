/** From values to places along an axis, and back. */
import type { Span } from "./box";

export type ScaleKind = "linear" | "log" | "symlog";

export interface Scale {
  kind: ScaleKind;
  lo: number;
  hi: number;
  /** The share of the axis (0 at lo, 1 at hi) where a value lies. */
  at(value: number): number;
  value(share: number): number;
  /** Below this size a symlog axis is nearly linear. */
  bend: number;
}

const TRANSFORMS: Record<ScaleKind, (bend: number) => [(v: number) => number, (t: number) => number]> = {
  linear: () => [(v) => v, (t) => t],
  log: () => [(v) => (v > 0 ? Math.log10(v) : NaN), (t) => 10 ** t],
  symlog: (bend) => [(v) => Math.asinh(v / bend), (t) => Math.sinh(t) * bend],
};

export function makeScale(kind: ScaleKind, [lo, hi]: Span, bend = 1): Scale {
  const [forth, back] = TRANSFORMS[kind](bend);
  const start = forth(lo);
  const length = forth(hi) - start || 1;
  return {
    kind,
    lo,
    hi,
    bend,
    at: (value) => (forth(value) - start) / length,
    value: (share) => back(start + share * length),
  };
}

/** The part of a scale between two shares of it: how a drag or a wheel on a log axis zooms. */
export function part(scale: Scale, from: number, to: number): Span {
  const a = scale.value(Math.min(from, to));
  const b = scale.value(Math.max(from, to));
  return [a, b];
}
