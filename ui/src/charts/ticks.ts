/** Positions of ticks, with their labels. */
import type { Span } from "./box";
import type { Scale } from "./scale";
import { clock, compact, numberLabels, shortDuration, type XKind } from "./tickLabels";

export interface Ticks {
  at: number[];
  labels: string[];
}

export const NO_TICKS: Ticks = { at: [], labels: [] };

const SECOND_STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800,
];

export function linearStep(span: number, wanted: number): number {
  const rough = span / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const lead = rough / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

function multiples(lo: number, hi: number, step: number): number[] {
  const out: number[] = [];
  const first = Math.ceil(lo / step - 1e-9);
  const last = Math.floor(hi / step + 1e-9);
  for (let i = 0; first + i <= last && i < 200; i++) {
    // `|| 0`, because the ceiling of a small negative number is −0.
    const value = (first + i) * step || 0;
    // Far from zero, several multiples can be the same floating-point number.
    if (value !== out.at(-1)) out.push(value);
  }
  return out;
}

/** Returns multiples of a step. `least` is the smallest step. */
export function linearTicks(lo: number, hi: number, wanted: number, least = 0): Ticks {
  if (!(hi > lo)) return labeled([lo]);
  const step = Math.max(linearStep(hi - lo, wanted), least);
  const at = multiples(lo, hi, step);
  return { at, labels: numberLabels(at, step) };
}

/** Returns the range widened to whole ticks, as d3's nice() does for TensorBoard's axes. */
export function niceSpan(lo: number, hi: number): Span {
  const step = linearStep(hi - lo, 5);
  return [Math.floor(lo / step + 1e-9) * step, Math.ceil(hi / step - 1e-9) * step];
}

function logTicks({ lo, hi }: Scale, wanted: number): Ticks {
  const from = Math.floor(Math.log10(lo));
  const to = Math.ceil(Math.log10(hi));
  const decades = Math.log10(hi / lo);
  if (decades < 0.7) return linearTicks(lo, hi, wanted);
  const leads = decades < 1.5 ? [1, 2, 3, 5] : decades < 2.5 ? [1, 3] : [1];
  const every = Math.max(1, Math.ceil(decades / wanted));
  const out: number[] = [];
  for (let e = from; e <= to; e++) if (e % every === 0) for (const lead of leads) out.push(lead * 10 ** e);
  return labeled(out.filter((v) => v >= lo * 0.9999 && v <= hi * 1.0001));
}

/** Returns powers of ten on both sides of zero, without those too close to another. */
function symlogTicks(scale: Scale, wanted: number): Ticks {
  const { lo, hi, bend } = scale;
  const low = Math.floor(Math.log10(bend));
  const high = Math.ceil(Math.log10(Math.max(Math.abs(lo), Math.abs(hi), bend)));
  const sizes = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
  const all = [...sizes.map((v) => -v).reverse(), 0, ...sizes].filter((v) => v >= lo && v <= hi);
  if (all.length < 2) return linearTicks(lo, hi, wanted);
  const apart = 0.7 / wanted;
  const kept: number[] = [];
  for (const v of all.sort((a, b) => (a === 0 ? -1 : b === 0 ? 1 : Math.abs(b) - Math.abs(a)))) {
    if (kept.every((other) => Math.abs(scale.at(other) - scale.at(v)) >= apart)) kept.push(v);
  }
  return labeled(kept.sort((a, b) => a - b));
}

/** Ticks of different powers of ten, each with its own unit. */
const labeled = (at: number[]): Ticks => ({ at, labels: at.map(compact) });

/** `wanted` is the approximate number of ticks. */
export function valueTicks(scale: Scale, wanted: number): Ticks {
  if (scale.kind === "log") return logTicks(scale, wanted);
  if (scale.kind === "symlog") return symlogTicks(scale, wanted);
  return linearTicks(scale.lo, scale.hi, wanted);
}

export function xTicks(kind: XKind, lo: number, hi: number, wanted: number): Ticks {
  if (kind === "wall") return wallTicks(lo, hi, wanted);
  if (kind === "relative") return relativeTicks(lo, hi, wanted);
  return linearTicks(lo, hi, wanted, kind === "step" ? 1 : 0);
}

function secondStep(span: number, wanted: number): number {
  const rough = span / Math.max(1, wanted);
  if (rough < 1) return linearStep(span, wanted);
  return SECOND_STEPS.find((step) => step >= rough * 0.75) ?? linearStep(span / 86400, wanted) * 86400;
}

function relativeTicks(lo: number, hi: number, wanted: number): Ticks {
  const step = secondStep(hi - lo, wanted);
  const at = hi > lo ? multiples(lo, hi, step) : [lo];
  return { at, labels: at.map((v) => shortDuration(v, step)) };
}

/** Returns whole minutes, hours or days of local time. */
function wallTicks(lo: number, hi: number, wanted: number): Ticks {
  const step = secondStep(hi - lo, wanted);
  const zone = -new Date(lo * 1000).getTimezoneOffset() * 60;
  const at = hi > lo ? multiples(lo + zone, hi + zone, step).map((v) => v - zone) : [lo];
  return { at, labels: at.map((v) => clock(v, step)) };
}
