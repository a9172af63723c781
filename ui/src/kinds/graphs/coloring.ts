/* Colors of boxes: by operation, device, parameters or estimated operations. */
import type { GraphItem } from "../../api/types";
import type { Ramp } from "../../charts/theme";
import { amount } from "./boxText";

export type ColorBy = "none" | "op" | "device" | "parameters" | "flops";

export const COLORS: { value: ColorBy; title: string; hint?: string }[] = [
  { value: "none", title: "none" },
  { value: "op", title: "operation", hint: "class or operation" },
  { value: "device", title: "device" },
  { value: "parameters", title: "parameters" },
  { value: "flops", title: "FLOPs", hint: "estimated" },
];

/** What the colors mean. */
export interface Coloring {
  title: string;
  fill(item: GraphItem): string | null;
  keys: { name: string; color: string; count: number }[];
  scale: { ramp: Ramp; labels: string[] } | null;
  note: string;
}

/** Colors that differ from each other for everybody, the most frequent category first. */
const SLOTS = [1, 2, 12, 11, 5, 10, 4, 9, 6, 8, 3];
const OTHER = "--run-7";

export function colorByCategory(
  items: GraphItem[],
  category: (item: GraphItem) => string,
  title: string,
  token: (name: string) => string,
): Coloring {
  const counts = new Map<string, number>();
  for (const item of items) {
    const name = category(item);
    if (name) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
  const color = (place: number): string => token(SLOTS[place] ? `--run-${SLOTS[place]}` : OTHER);
  const colors = new Map(names.map(([name], place) => [name, color(place)]));
  const rest = names.slice(SLOTS.length).reduce((sum, [, count]) => sum + count, 0);
  const keys = names.slice(0, SLOTS.length).map(([name, count], place) => ({ name, count, color: color(place) }));
  return {
    title,
    fill: (item) => colors.get(category(item)) ?? null,
    keys: rest ? [...keys, { name: "others", count: rest, color: token(OTHER) }] : keys,
    scale: null,
    note: names.length ? "" : `This graph does not say the ${title}.`,
  };
}

/** Colors by an amount on a logarithmic scale. Boxes without it stay plain. */
export function colorByAmount(
  items: GraphItem[],
  value: (item: GraphItem) => number,
  title: string,
  ramp: Ramp,
  note = "",
): Coloring {
  const values = items.map(value).filter((one) => one > 0);
  const [lo, hi] = [Math.min(...values), Math.max(...values)];
  const share = (one: number): number => (hi > lo ? Math.log(one / lo) / Math.log(hi / lo) : 0.5);
  const labels = values.length ? [amount(lo), amount(Math.sqrt(lo * hi)), amount(hi)] : [];
  return {
    title,
    fill: (item) => (value(item) > 0 ? rampColor(ramp, share(value(item))) : null),
    keys: [],
    scale: values.length ? { ramp, labels } : null,
    note: values.length ? note : `Nothing here has ${title}.`,
  };
}

export function rampColor(ramp: Ramp, share: number): string {
  return ramp[Math.min(ramp.length - 1, Math.max(0, Math.floor(share * ramp.length)))]!;
}

/** Returns the relative luminance of `#rrggbb` or `#rgb`, from 0 to 1. */
export function luminance(color: string): number {
  const digits = color.length === 4 ? color.replace(/[^#]/g, "$&$&") : color;
  const [r, g, b] = [1, 3, 5].map((at) => (Number.parseInt(digits.slice(at, at + 2), 16) / 255) ** 2.2);
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

/** Returns the darker and the lighter of two colors: text on light and on dark fills, in every theme. */
export function inks(one: string, other: string): [onLight: string, onDark: string] {
  return luminance(one) < luminance(other) ? [one, other] : [other, one];
}
