/* Formats numbers for reading: four significant digits, thin spaces, exponents only where needed. */

const THIN = "\u2009";
const MINUS = "\u2212";

/** A value of a metric: `0.2714`, `12.5`, `1.2e−5`, `NaN`, `+Inf`. */
export function number(value: number, digits = 4): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : `${MINUS}Inf`;
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e15) return integer(value);
  if (size < 1e-4 || size >= 1e9) return exponent(value, digits);
  if (size < 1) return group(value.toPrecision(digits));
  return group(value.toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(size)))));
}

/** A step or a count: `1 000 000`. */
export function integer(value: number): string {
  return group(Math.round(value).toFixed(0));
}

/** Seconds: `0.4s`, `48s`, `2m 10s`, `2h 13m`, `3d 4h`. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "";
  if (seconds < 0) return MINUS + duration(-seconds);
  if (seconds < 10) return `${seconds.toFixed(1)}s`;
  const s = Math.round(seconds);
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m ${pad(s % 60)}s`;
  if (s < 86400) return `${Math.floor(s / 3600)}h ${pad(Math.floor((s % 3600) / 60))}m`;
  return `${Math.floor(s / 86400)}d ${Math.floor((s % 86400) / 3600)}h`;
}

/** Longer ago than any event file: a program logged wall time 0, or seconds since its start. */
export const isUnknownTime = (secondsAgo: number): boolean => secondsAgo > 1.2e9;

/** How long ago, in one unit: `now`, `38m ago`, `2 days ago`. */
export function ago(seconds: number): string {
  if (isUnknownTime(seconds)) return "at an unknown time";
  if (seconds < 5) return "now";
  if (seconds < 60) return `${Math.round(seconds)}s ago`;
  if (seconds < 3600) return `${Math.round(seconds / 60)}m ago`;
  if (seconds < 86400) return `${Math.round(seconds / 3600)}h ago`;
  const days = Math.round(seconds / 86400);
  return `${days} ${plural(days, "day")} ago`;
}

/** Bytes: `512 B`, `48.2 MB`, `1.3 GB`. */
export function size(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (bytes >= 999.5 && unit < units.length - 1) {
    bytes /= 1000;
    unit += 1;
  }
  return `${bytes >= 100 || unit === 0 ? bytes.toFixed(0) : bytes.toFixed(1)} ${units[unit]}`;
}

/** A title within a sentence: `images`, but `PR curves` and `HParams`. */
export function inSentence(title: string): string {
  return /^.[A-Z]/.test(title) ? title : title.toLowerCase();
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}

/** A number with its noun: `3 runs`. */
export function counted(count: number, one: string, many?: string): string {
  return `${integer(count)} ${plural(count, one, many)}`;
}

function exponent(value: number, digits: number): string {
  const [mantissa = "", power = ""] = value.toExponential(digits - 1).split("e");
  return group(`${mantissa.replace(/\.?0+$/, "")}e${power.replace("+", "")}`);
}

function group(text: string): string {
  const [whole = "", ...rest] = text.split(/(?=[.e])/);
  const digits = whole.replace("-", "");
  const grouped = digits.length > 4 ? digits.replace(/\B(?=(\d{3})+$)/g, THIN) : digits;
  return ((whole.startsWith("-") ? MINUS : "") + grouped + rest.join("")).replace("e-", `e${MINUS}`);
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
