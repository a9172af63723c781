/* Colors and dashes of runs by a fact: a color for each value, or a scale for numbers with many values. */
import type { FactJson } from "../../api/types";
import { rampAt } from "../../base/ramp";
import { COLORS, Looks } from "../colors";
import { type FactGroups, factName, factText, namePart } from "./factGroups";

/** Numbers with more values than this get a scale of colors. */
const MAX_CATEGORIES = 8;
const NUMBERS = new Set(["number", "time", "duration", "size"]);
const DASHES = 5;
/** The part of the ramp that is used: its first colors are too faint for lines. */
const [FAINTEST, STRONGEST] = [0.26, 0.96];
const LOG_FROM = 100;
const LEGEND_COLORS = 12;

/** A color is the number of a run color, or a place on the ramp from 0 to 1; null without a value. */
export type FactColor = { slot: number } | { share: number } | null;

export interface FactColors {
  fact: string;
  of: ReadonlyMap<string, FactColor>;
  legend: { text: string; color: FactColor }[];
  /** Set if the legend shows the two ends of a scale. */
  scale: "linear" | "log" | null;
}

export function factColors(groups: FactGroups): FactColors {
  const [by] = groups.by;
  const fact = by ? factName(by.name) : "";
  const values = groups.groups.map(({ key }) => key[0] ?? null);
  const numbers = values.filter((value): value is number => typeof value === "number" && Number.isFinite(value));
  if (by && NUMBERS.has(by.type) && numbers.length > MAX_CATEGORIES) {
    const { scale, shareOf } = spread(numbers);
    const ends = [Math.min(...numbers), Math.max(...numbers)];
    return {
      fact,
      of: paint(groups, (value) => (typeof value === "number" && value === value ? { share: shareOf(value) } : null)),
      legend: ends.map((end, i) => ({ text: factText(by.type, end), color: { share: i } })),
      scale,
    };
  }
  const looks = new Looks();
  looks.add(values.map((value, i) => ({ id: JSON.stringify(value), name: JSON.stringify(value), start: i })));
  const slotOf = (value: FactJson): FactColor =>
    value === null ? null : { slot: looks.of(JSON.stringify(value)) % COLORS };
  const legend = by ? values.map((value) => ({ text: namePart(by, value)[1], color: slotOf(value) })) : [];
  return { fact, of: paint(groups, slotOf), legend: legend.filter(({ color }) => color), scale: null };
}

/** Numbers across two decades are spread by their logarithms. */
function spread(numbers: number[]): { scale: "linear" | "log"; shareOf(value: number): number } {
  const [least, greatest] = [Math.min(...numbers), Math.max(...numbers)];
  const isLog = least > 0 && greatest / least >= LOG_FROM;
  const at = isLog ? Math.log : (value: number) => value;
  const length = at(greatest) - at(least);
  return { scale: isLog ? "log" : "linear", shareOf: (value) => (length > 0 ? (at(value) - at(least)) / length : 0) };
}

function paint({ groups }: FactGroups, colorOf: (value: FactJson) => FactColor): Map<string, FactColor> {
  return new Map(groups.flatMap(({ key, runs }) => runs.map((run) => [run, colorOf(key[0] ?? null)] as const)));
}

/** Returns the index of each run's dash. Runs without the fact have the last one. */
export function factDashes({ groups }: FactGroups): Map<string, number> {
  const known = groups.filter(({ key }) => key[0] !== null);
  return new Map(
    groups.flatMap((group) => {
      const at = known.indexOf(group);
      return group.runs.map((run) => [run, at < 0 ? DASHES - 1 : at % DASHES] as const);
    }),
  );
}

/** `token` returns the value of a CSS custom property. */
export function cssColor(color: FactColor, token: (name: string) => string): string {
  if (color === null) return token("--ink-3");
  if ("slot" in color) return token(`--run-${color.slot + 1}`);
  const ramp = Array.from({ length: 9 }, (_, i) => token(`--seq-${i}`));
  return rampAt(ramp, FAINTEST + (STRONGEST - FAINTEST) * color.share);
}

/** Returns the colors of a scale for its legend. */
export function legendColors(token: (name: string) => string): string[] {
  return Array.from({ length: LEGEND_COLORS }, (_, i) => cssColor({ share: i / (LEGEND_COLORS - 1) }, token));
}
