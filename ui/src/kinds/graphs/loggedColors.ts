/* Colors by what was logged for the parts of a graph, on a scale that is the same at every step. */
import type { GraphItem, GraphQuantity } from "../../api/types";
import { number } from "../../base/format";
import type { Ramp } from "../../charts/theme";
import { type Coloring, rampColor } from "./coloring";

/** Values at one step, by the path of the parameter or module. Not finite: NaN. */
export type Values = { path: string; value: number }[];

export interface LoggedColoring extends Coloring {
  /** The value of everything at a path, or null if nothing was logged for it. */
  valueOf(outer: string): number | null;
  memberFill(path: string): string | null;
}

/** Returns the values at the step with this index. */
export function valuesAt({ places }: GraphQuantity, index: number): Values {
  return places.flatMap(({ path, values }) => {
    const value = values[index];
    return value === null || value === undefined ? [] : [{ path, value: Number(value) }];
  });
}

/** Returns the smallest and the largest positive value of the whole run. */
export function rangeOf({ places }: GraphQuantity): [lo: number, hi: number] | null {
  let [lo, hi] = [Infinity, 0];
  for (const { values } of places)
    for (const value of values)
      if (typeof value === "number" && value > 0) [lo, hi] = [Math.min(lo, value), Math.max(hi, value)];
  return hi > 0 ? [lo, hi] : null;
}

/** Norms of parts add up as squares; other values are averaged. */
export function combine(values: number[], isNorm: boolean): number | null {
  if (!values.length) return null;
  if (isNorm) return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function colorByLogged(logged: GraphQuantity, index: number, ramp: Ramp, bad: string): LoggedColoring {
  const values = valuesAt(logged, index);
  const isNorm = logged.quantity !== "logged value";
  const range = rangeOf(logged);
  const valueOf = (path: string): number | null =>
    combine(
      values.filter((one) => one.path === path || one.path.startsWith(`${path}/`)).map(({ value }) => value),
      isNorm,
    );
  const colorOf = (value: number | null): string | null => {
    if (value === null || !range) return null;
    if (!Number.isFinite(value)) return bad;
    if (value <= 0) return ramp[0]!;
    return rampColor(ramp, range[1] > range[0] ? Math.log(value / range[0]) / Math.log(range[1] / range[0]) : 0.5);
  };
  const ofItem = ({ members, outer }: GraphItem): number | null => {
    if (!members) return valueOf(outer);
    const each = members.flatMap((path) => valueOf(path) ?? []);
    const all = combine(each, isNorm);
    return all === null ? null : isNorm ? all / Math.sqrt(each.length) : all;
  };
  const [placed, all] = [logged.places.length, logged.places.length + logged.unplaced.length];
  const isBad = values.some(({ value }) => !Number.isFinite(value));
  return {
    title: `${logged.quantity} at step ${number(logged.steps[index] ?? 0)}`,
    fill: (item) => colorOf(ofItem(item)),
    memberFill: (path) => colorOf(valueOf(path)),
    valueOf,
    keys: isBad
      ? [{ name: "NaN or infinite", color: bad, count: values.filter(({ value }) => !Number.isFinite(value)).length }]
      : [],
    scale: range && { ramp, labels: [range[0], Math.sqrt(range[0] * range[1]), range[1]].map((one) => number(one, 2)) },
    note: `${placed} of ${all} tags found a place. The scale is that of all steps.`,
  };
}
