/** Where ticks stand and what they say. */
import type { Span } from "./box";
import type { Scale } from "./scale";

export type XKind = "step" | "relative" | "wall" | "value";

const THIN = "\u2009";
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
  // `|| 0`: the ceiling of a little less than zero is −0.
  for (let k = first; k <= last && out.length < 200; k++) out.push(k * step || 0);
  return out;
}

export function linearTicks(lo: number, hi: number, wanted: number): number[] {
  return hi > lo ? multiples(lo, hi, linearStep(hi - lo, wanted)) : [lo];
}

/** Widened to whole ticks, as d3's nice() does for TensorBoard's axes. */
export function niceSpan(lo: number, hi: number): Span {
  const step = linearStep(hi - lo, 5);
  return [Math.floor(lo / step + 1e-9) * step, Math.ceil(hi / step - 1e-9) * step];
}

function logTicks(lo: number, hi: number, wanted: number): number[] {
  const from = Math.floor(Math.log10(lo));
  const to = Math.ceil(Math.log10(hi));
  const decades = Math.log10(hi / lo);
  if (decades < 0.7) return linearTicks(lo, hi, wanted);
  const leads = decades < 1.5 ? [1, 2, 3, 5] : decades < 2.5 ? [1, 3] : [1];
  const every = Math.max(1, Math.ceil(decades / wanted));
  const out: number[] = [];
  for (let e = from; e <= to; e++) if (e % every === 0) for (const lead of leads) out.push(lead * 10 ** e);
  return out.filter((v) => v >= lo * 0.9999 && v <= hi * 1.0001);
}

/** Powers of ten on both sides of zero, thinned until they stand apart. */
function symlogTicks(scale: Scale, wanted: number): number[] {
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
  return kept.sort((a, b) => a - b);
}

export function yTicks(scale: Scale, wanted: number): number[] {
  if (scale.kind === "log") return logTicks(scale.lo, scale.hi, wanted);
  if (scale.kind === "symlog") return symlogTicks(scale, wanted);
  return linearTicks(scale.lo, scale.hi, wanted);
}

/** The labels of a y axis: as many decimals as the ticks need, and the same for all of them. */
export function yLabels(ticks: number[], scale: Scale): string[] {
  if (scale.kind !== "linear") return ticks.map(compact);
  const size = Math.max(...ticks.map(Math.abs));
  if (size < 1e-3 || size >= 1e5) return ticks.map(compact);
  const step = ticks.length > 1 ? ticks[1]! - ticks[0]! : size;
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return ticks.map((v) => (Math.abs(v) < step * 1e-6 ? "0" : grouped(v.toFixed(Math.min(decimals, 8)))));
}

/** At most six characters, so that a gutter of 44 px holds it. */
export function compact(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e12 || size < 1e-3)
    return signed(
      value
        .toExponential(2)
        .replace(/\.?0+e/, "e")
        .replace("e+", "e"),
    );
  for (const [unit, name] of [
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ] as const) {
    if (size >= unit && (unit > 1e3 || size >= 1e4))
      return signed(String(Number((value / unit).toPrecision(3)))) + name;
  }
  return signed(String(Number(value.toPrecision(4))));
}

const signed = (text: string): string => text.replace(/^-/, "−");

function grouped(text: string): string {
  const [whole, decimals] = signed(text).split(".") as [string, string?];
  const spaced = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, THIN) : whole;
  return decimals ? `${spaced}.${decimals}` : spaced;
}

export interface XAxisTicks {
  at: number[];
  labels: string[];
}

export function xTicks(kind: XKind, lo: number, hi: number, wanted: number): XAxisTicks {
  if (kind === "wall") return wallTicks(lo, hi, wanted);
  if (kind === "relative") return relativeTicks(lo, hi, wanted);
  const step = Math.max(linearStep(hi - lo, wanted), kind === "step" ? 1 : 0);
  const at = hi > lo ? multiples(lo, hi, step) : [lo];
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const large = Math.max(Math.abs(lo), Math.abs(hi)) >= 1e7;
  return { at, labels: at.map((v) => (large ? compact(v) : grouped(v.toFixed(Math.min(8, decimals))))) };
}

function secondStep(span: number, wanted: number): number {
  const rough = span / Math.max(1, wanted);
  if (rough < 1) return linearStep(span, wanted);
  return SECOND_STEPS.find((step) => step >= rough * 0.75) ?? linearStep(span / 86400, wanted) * 86400;
}

function relativeTicks(lo: number, hi: number, wanted: number): XAxisTicks {
  const step = secondStep(hi - lo, wanted);
  const at = hi > lo ? multiples(lo, hi, step) : [lo];
  return { at, labels: at.map((v) => shortDuration(v, step)) };
}

/** A duration with no more units than the distance between ticks asks for. */
export function shortDuration(seconds: number, step: number): string {
  if (Math.abs(seconds) < 1e-9) return "0";
  const size = Math.abs(seconds);
  const sign = seconds < 0 ? "−" : "";
  if (step < 1) return `${sign}${Number(size.toPrecision(4))}s`;
  const units: [number, string][] = [
    [86400, "d"],
    [3600, "h"],
    [60, "m"],
    [1, "s"],
  ];
  let rest = Math.round(size);
  const parts: string[] = [];
  for (const [length, name] of units) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count) parts.push(`${count}${name}`);
  }
  return sign + parts.slice(0, 2).join(THIN);
}

/** Ticks of the clock on the wall of whoever looks: whole local minutes, hours, days. */
function wallTicks(lo: number, hi: number, wanted: number): XAxisTicks {
  const step = secondStep(hi - lo, wanted);
  const zone = -new Date(lo * 1000).getTimezoneOffset() * 60;
  const at = hi > lo ? multiples(lo + zone, hi + zone, step).map((v) => v - zone) : [lo];
  return { at, labels: at.map((v) => clock(v, step)) };
}

function clock(seconds: number, step: number): string {
  const date = new Date(seconds * 1000);
  const two = (n: number): string => String(n).padStart(2, "0");
  const day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (step >= 86400) return day;
  if (step < 60) return `${time}:${two(date.getSeconds())}`;
  return time === "00:00" ? day : time;
}

/** One place of the x axis in full: what the flag under the crosshair says. */
export function xLabel(kind: XKind, x: number, span: number): string {
  if (kind === "relative") return shortDuration(x, span < 10 ? 0.1 : 1);
  if (kind === "wall")
    return new Date(x * 1000).toLocaleString(undefined, {
      month: "short",
      day: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
  // Between two cells of a thinned chart lies no whole step.
  const value = kind === "step" ? Math.round(x) : x;
  return Number.isInteger(value) ? grouped(String(value)) : compact(value);
}
