/** Labels of ticks and of the crosshair. */
/** Meaning of the x axis. */
export type XKind = "step" | "relative" | "wall" | "value";

const THIN = "\u2009";

/** Large numbers get a unit from this size on, on both axes of every chart. */
const UNITS_FROM = 1e5;
const UNITS = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
] as const;

/** Returns the labels of evenly spaced ticks: all with the same unit, and with the decimals that tell them apart. */
export function numberLabels(ticks: number[], step: number): string[] {
  const size = Math.max(...ticks.map(Math.abs));
  const isZero = (v: number): boolean => Math.abs(v) < step * 1e-6;
  const labels = (of: (v: number) => string): string[] => ticks.map((v) => (isZero(v) ? "0" : of(v)));
  if (size < 1e-3 || size >= 1e12) return labels((v) => exponential(v, step));
  const plain = labels((v) => grouped(v.toFixed(decimalsOf(step))));
  const [unit, name] = UNITS.find(([unit]) => size >= Math.max(unit, UNITS_FROM)) ?? [1, ""];
  const decimals = decimalsOf(step / unit);
  const short = labels((v) => signed((v / unit).toFixed(decimals)) + name);
  return decimals <= 3 && longest(short) < longest(plain) ? short : plain;
}

export const longest = (labels: string[]): number => Math.max(0, ...labels.map((label) => label.length));

/** Returns the number of decimals that multiples of a step have. */
const decimalsOf = (step: number): number => Math.min(20, Math.max(0, -magnitude(step)));

const magnitude = (value: number): number => Math.floor(Math.log10(Math.abs(value)) + 1e-9);

function exponential(value: number, step: number): string {
  const digits = Math.min(20, Math.max(0, magnitude(value) - magnitude(step)));
  return shortExponent(value.toExponential(digits));
}

const shortExponent = (text: string): string =>
  signed(
    text
      .replace(/(\.\d*?)0+e/, "$1e")
      .replace(".e", "e")
      .replace("e+", "e"),
  );

/** Formats a number in few characters, to fit the left margin of a card. */
export function compact(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e12 || size < 1e-3) return shortExponent(value.toExponential(2));
  for (const [unit, name] of UNITS) {
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

const DURATIONS = [
  [86400, "d"],
  [3600, "h"],
  [60, "m"],
  [1, "s"],
] as const;

/** Formats a duration. `step` is the distance between ticks and decides how precise the label is. */
export function shortDuration(seconds: number, step: number): string {
  const size = Math.abs(seconds);
  if (size < Math.min(step, 1) * 1e-6) return "0";
  const sign = seconds < 0 ? "−" : "";
  if (step < 1) return `${sign}${Number(size.toFixed(decimalsOf(step)))}s`;
  let rest = Math.round(size);
  const parts: string[] = [];
  for (const [length, name] of DURATIONS) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count) parts.push(`${count}${name}`);
    // A smaller unit is the same in all labels.
    if (length <= step && parts.length) break;
  }
  return parts.length ? sign + parts.join(THIN) : "0";
}

/** Formats a wall time in local time. `step` is the distance between ticks and decides how precise the label is. */
export function clock(seconds: number, step: number): string {
  const date = new Date(seconds * 1000);
  const two = (n: number): string => String(n).padStart(2, "0");
  const day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  if (step >= 86400) return step >= 100 * 86400 ? `${date.getFullYear()}-${day}` : day;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (step < 1) return `${time}:${(seconds % 60).toFixed(decimalsOf(step)).padStart(decimalsOf(step) + 3, "0")}`;
  if (step < 60) return `${time}:${two(date.getSeconds())}`;
  return time === "00:00" ? day : time;
}

/** Formats a value of the x axis in full, as the flag below the crosshair shows it. */
export function xLabel(kind: XKind, x: number, span: number): string {
  if (kind === "relative") return shortDuration(x, Math.max(span / 1000, 1e-6));
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
