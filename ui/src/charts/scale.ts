/** Scales: from values to positions along an axis, and back. */
import type { Span } from "./box";

export type ScaleKind = "linear" | "log" | "symlog";

export interface Scale {
  kind: ScaleKind;
  lo: number;
  hi: number;
  /** Returns the position of a value, 0 at `lo` and 1 at `hi`. */
  at(value: number): number;
  /** Returns the value at a position. */
  value(share: number): number;
  /** Absolute value below which a symlog scale is nearly linear. */
  bend: number;
}

const TRANSFORMS: Record<ScaleKind, (bend: number) => [(v: number) => number, (t: number) => number]> = {
  linear: () => [(v) => v, (t) => t],
  log: () => [(v) => (v > 0 ? Math.log10(v) : NaN), (t) => 10 ** t],
  symlog: (bend) => [(v) => Math.asinh(v / bend), (t) => Math.sinh(t) * bend],
};

export function makeScale(kind: ScaleKind, [lo, hi]: Span, bend = 1): Scale {
  const [forward, inverse] = TRANSFORMS[kind](bend);
  const start = forward(lo);
  const length = forward(hi) - start || 1;
  return {
    kind,
    lo,
    hi,
    bend,
    at: (value) => (forward(value) - start) / length,
    value: (share) => inverse(start + share * length),
  };
}
