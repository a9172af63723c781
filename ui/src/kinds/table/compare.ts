/** Rows of the comparison of runs: what their metrics, configs and environments have in common, and what differs. */
import type { FactJson, RunDetails, RunMetric } from "../../api/types";
import { integer, number } from "../../base/format";
import { settingLabel } from "../cells";
import { diffLines } from "../diff";

export interface DiffCell {
  /** Null if the run has no such value. */
  text: string | null;
  /** Difference to the first run, or the factor. */
  change: string;
  isSame: boolean;
}

export interface DiffRow {
  key: string;
  /** What is shown of the key's metric, such as `min`. */
  detail: string;
  cells: DiffCell[];
  /** Whether all runs have the same value. */
  isEqual: boolean;
  /** Place of the best value. */
  best: number | null;
}

export interface DiffSection {
  title: string;
  rows: DiffRow[];
  /** How many rows of all are equal in all runs. */
  equal: number;
}

const THIN = "\u2009";
const MINUS = "\u2212";

export function sectionsOf(runs: readonly RunDetails[]): DiffSection[] {
  return [
    section("Metrics", metricRows(runs)),
    section("Config", settingRows(runs.map(({ config }) => config))),
    section("Environment", settingRows(runs.map(({ environment }) => environment))),
  ].filter(({ rows }) => rows.length > 0);
}

function section(title: string, rows: DiffRow[]): DiffSection {
  return { title, rows, equal: rows.filter(({ isEqual }) => isEqual).length };
}

/** The best value of each metric whose name tells what is better, and the last value of the others. */
function metricRows(runs: readonly RunDetails[]): DiffRow[] {
  const byTag = runs.map(({ metrics }) => new Map(metrics.map((metric) => [metric.tag, metric])));
  const all = new Map(runs.flatMap(({ metrics }) => metrics).map((metric) => [metric.tag, metric]));
  const sorted = [...all.values()].toSorted((a, b) => Number(!a.direction) - Number(!b.direction));
  return sorted.map(({ tag, direction }) => {
    const values = byTag.map((metrics) => shownValue(metrics.get(tag)));
    const cells = values.map((value, i) => ({
      text: value === null ? null : number(value),
      change: i > 0 ? difference(value, values[0]!) : "",
      isSame: Object.is(value, values[0]),
    }));
    return {
      key: tag,
      detail: direction ?? "last",
      cells,
      isEqual: areSame(cells),
      best: bestPlace(values, direction),
    };
  });
}

function shownValue(metric: RunMetric | undefined): number | null {
  const value = metric && (metric.direction ? metric[metric.direction] : metric.last);
  return value === undefined || value === null ? null : Number(value);
}

function bestPlace(values: readonly (number | null)[], direction: "min" | "max" | null): number | null {
  const known = values.filter((value) => value !== null && Number.isFinite(value)) as number[];
  if (!direction || known.length < 2) return null;
  const best = direction === "min" ? Math.min(...known) : Math.max(...known);
  return known.every((value) => value === best) ? null : values.indexOf(best);
}

function difference(value: number | null, first: number | null): string {
  if (value === null || first === null || !Number.isFinite(value - first) || value === first) return "";
  return `${value > first ? "+" : MINUS}${number(Math.abs(value - first), 3)}`;
}

function settingRows(configs: readonly Record<string, FactJson>[]): DiffRow[] {
  const keys = [...new Set(configs.flatMap((config) => Object.keys(config)))];
  return keys.map((key) => {
    const values = configs.map((config) => config[key]);
    const cells = values.map((value, i) => ({
      text: value === undefined || value === null ? null : settingLabel(value),
      change: i > 0 ? factor(value, values[0]) : "",
      isSame: value === values[0],
    }));
    return { key, detail: "", cells, isEqual: areSame(cells), best: null };
  });
}

/** How many times as large a setting is, where that is easier to read than the two numbers. */
function factor(value: unknown, first: unknown): string {
  if (typeof value !== "number" || typeof first !== "number" || first <= 0 || value <= 0 || value === first) return "";
  if (Number.isInteger(value) && Number.isInteger(first) && value < 10 && first < 10) return "";
  return `×${THIN}${number(value / first, 3).replace(/\.?0+$/, "")}`;
}

const areSame = (cells: readonly DiffCell[]): boolean => cells.every(({ isSame }) => isSame);

export interface Word {
  text: string;
  isNew: boolean;
}

/** Words of a command line, with those marked that the first one has not. */
export function markWords(command: string, first: string): Word[] {
  const lines = (text: string): string => text.trim().split(/\s+/).join("\n");
  return diffLines(lines(first), lines(command))
    .filter(({ kind }) => kind !== "gone")
    .map(({ kind, text }) => ({ text, isNew: kind === "new" }));
}

/** The rows of a section to show, of those whose key has all words of the filter. Of the metrics without a known direction, the
    last value says little about runs that differ in anything. */
export function shownRows({ title, rows }: DiffSection, { all, keys }: { all: boolean; keys: string }): DiffRow[] {
  const words = keys.toLowerCase().split(/\s+/);
  const found = rows.filter(({ key }) => words.every((word) => key.toLowerCase().includes(word)));
  if (all) return found;
  const hasBest = title === "Metrics" && rows.some(({ detail }) => detail !== "last");
  return found.filter(({ isEqual, detail }) => !isEqual && (!hasBest || keys !== "" || detail !== "last"));
}

export function summaryOf({ title, rows, equal }: DiffSection, shown: readonly DiffRow[]): string {
  if (title === "Metrics") return `${integer(shown.length)} of ${integer(rows.length)} shown`;
  return `${integer(rows.length - equal)} differ, ${integer(equal)} equal`;
}
