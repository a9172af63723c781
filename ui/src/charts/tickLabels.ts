/** Labels of ticks and of the crosshair. */
import type { Scale } from "./scale";

/** Meaning of the x axis. */
export type XKind = "step" | "relative" | "wall" | "value";

const THIN = "\u2009";

/** Returns the labels of values on an axis, all with the number of decimals that the ticks need. */
export function valueLabels(ticks: number[], scale: Scale): string[] {
  if (scale.kind !== "linear") return ticks.map(compact);
  const size = Math.max(...ticks.map(Math.abs));
  if (size < 1e-3 || size >= 1e5) return ticks.map(compact);
  const step = ticks.length > 1 ? ticks[1]! - ticks[0]! : size;
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return ticks.map((v) => (Math.abs(v) < step * 1e-6 ? "0" : grouped(v.toFixed(Math.min(decimals, 8)))));
}

/** Formats a number in few characters, to fit the left margin of a card. */
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

export function grouped(text: string): string {
  const [whole, decimals] = signed(text).split(".") as [string, string?];
  const spaced = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, THIN) : whole;
  return decimals ? `${spaced}.${decimals}` : spaced;
}

/** Formats a duration. `step` is the distance between ticks and decides how precise the label is. */
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

export function clock(seconds: number, step: number): string {
  const date = new Date(seconds * 1000);
  const two = (n: number): string => String(n).padStart(2, "0");
  const day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (step >= 86400) return day;
  if (step < 60) return `${time}:${two(date.getSeconds())}`;
  return time === "00:00" ? day : time;
}

/** Formats a value of the x axis in full, as the flag below the crosshair shows it. */
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
  // Cells of a downsampled line lie between steps.
  const value = kind === "step" ? Math.round(x) : x;
  return Number.isInteger(value) ? grouped(String(value)) : compact(value);
}
