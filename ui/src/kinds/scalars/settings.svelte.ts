/* Settings of the Charts tab. All of them are in the URL. */
import type { Smoothing, XAxis } from "../../api/types";
import { type Codec, flag, json, list, oneOf, param, real, text } from "../../base/url";
import type { Span } from "../../charts/box";
import type { ScaleKind } from "../../charts/scale";
import { isFormula, shownEntry } from "./formulas";
import { splitTag } from "./groups";
import { SMOOTHING_METHODS, type SmoothingMethod, WEIGHT } from "./smoothing";

/** Which step is marked as the best: by the name of the tag, that of the smallest or largest value, or none. */
export type BestSetting = "auto" | "min" | "max" | "none";

/** Settings of one chart. Missing ones are those of all charts. */
export interface CardSettings {
  /** Tags that are plotted in addition. */
  with?: string[];
  y?: ScaleKind;
  /** Limits of y. Null means automatic. */
  lim?: [number | null, number | null];
  zoom?: Span;
  smooth?: number;
  legend?: boolean;
  /** Whether some tags are on a second y axis. Missing means automatic. */
  right?: boolean;
  best?: BestSetting;
  /** In columns and rows. */
  w?: number;
  h?: number;
}

const xAxisCodec: Codec<XAxis> = {
  encode: (axis) => (typeof axis === "string" ? axis : `tag:${axis.tag}`),
  decode: (words) => {
    if (words.startsWith("tag:")) return { tag: words.slice(4) };
    return words === "step" || words === "relative" || words === "wall" ? words : null;
  },
};

const spanCodec: Codec<Span | null> = {
  encode: (span) => (span ? span.map((v) => Number(v.toPrecision(9))).join(":") : ""),
  decode: (words) => {
    const [lo, hi] = words.split(":").map(Number);
    return lo !== undefined && hi !== undefined && lo < hi ? [lo, hi] : null;
  },
};

const ownCodec: Codec<Record<string, string[]>> = {
  encode: JSON.stringify,
  decode: (words) =>
    Object.fromEntries(Object.entries(json<object>().decode(words) ?? {}).filter(([, tags]) => Array.isArray(tags))),
};

export const tagFilter = param("tags", text, "");
export const xAxis = param<XAxis>("x", xAxisCodec, "step");
export const weight = param("smooth", real, WEIGHT.initial);
export const method = param<SmoothingMethod>(
  "method",
  oneOf(...SMOOTHING_METHODS.map(({ id }) => id)),
  SMOOTHING_METHODS[0].id,
);
/** The y axis of charts without their own. */
export const yScale = param<ScaleKind>("yscale", oneOf("linear", "log", "symlog"), "linear");
export const ignoreOutliers = param("outliers", flag, true);
export const linkZoom = param("link", flag, false);
/** The zoomed range of all charts while their zoom is linked. */
export const linkedWindow = param<Span | null>("zoom", spanCodec, null);
/** 0 means as many as fit. */
export const columns = param("cols", real, 0);
/** Whether charts are listed whose tags no selected run has. */
export const listEmpty = param("empty", flag, false);
/** Whether the main metrics come first, if not all charts fit on the screen. */
export const mainOnTop = param("main", flag, true);
export const pins = param("pins", list, []);
export const folded = param("folded", list, []);
/** Groups that start collapsed and were expanded. */
export const unfolded = param("unfolded", list, []);
/** Tags that the user moved to the front of their groups. */
export const order = param("order", list, []);
/** The expanded chart, by its tag. */
export const full = param("full", text, "");
/** The table below an expanded chart. */
export const below = param("below", oneOf("runs", "points", "nothing"), "runs");
/** Whether the media at the step under the pointer are shown below the charts. */
export const stepPanel = param("beside", flag, false);
/** Settings of single charts, by tag or name. */
export const cards = param<Record<string, CardSettings>>("cards", json(), {});
/** Whether validation tags are drawn on the charts of training. */
export const overlaySplits = param("splits", flag, false);
/** Validation tags by the training tag on whose chart they are. Set by the Charts tab while `overlaySplits` is on. */
class Splits {
  pairs = $state.raw<ReadonlyMap<string, string[]>>(new Map());
}
export const splits = new Splits();
/** Whether the best step of each line is marked. */
export const markBest = param("best", flag, false);
/** Tags and formulas of custom charts, by name. Names start with *, which sets them apart from tags. */
export const own = param<Record<string, string[]>>("own", ownCodec, {});

export function cardSettings(tag: string): CardSettings {
  return cards.value[tag] ?? {};
}

/** Changes settings of one chart. An undefined setting is reset, and null resets all of them. */
export function setCard(tag: string, change: Partial<CardSettings> | null, preview = false): void {
  const own = Object.fromEntries(
    Object.entries<unknown>({ ...(change && cardSettings(tag)), ...change }).filter(([, value]) => value !== undefined),
  ) as CardSettings;
  const { [tag]: _, ...rest } = cards.value;
  const next = Object.keys(own).length ? { ...rest, [tag]: own } : rest;
  if (preview) cards.preview(next);
  else cards.value = next;
}

export function scaleOf(tag: string): ScaleKind {
  return cardSettings(tag).y ?? yScale.value;
}

export function setScale(tag: string, scale: ScaleKind): void {
  setCard(tag, { y: scale === yScale.value ? undefined : scale });
}

export function toggleLog(tag: string): void {
  setScale(tag, scaleOf(tag) === "log" ? "linear" : "log");
}

/** Returns the tags of a chart: its own and the overlaid ones, or those of a custom chart. */
export function tagsOf(card: string): string[] {
  if (own.value[card]) return own.value[card];
  return [...new Set([card, ...(splits.pairs.get(card) ?? []), ...(cardSettings(card).with ?? [])])];
}

/** Returns the tags and the formulas of a chart. Only a custom chart has formulas. */
export function entriesOf(card: string): { tags: string[]; formulas: string[] } {
  const all = tagsOf(card);
  if (!own.value[card]) return { tags: all, formulas: [] };
  const formulas = all.filter(isFormula).map(shownEntry);
  return { tags: all.filter((entry) => !isFormula(entry)), formulas };
}

/** Returns the title of a chart in three parts: prefix, name, overlaid tags. */
export function titleOf(card: string): string[] {
  if (own.value[card]) {
    const [name, all] = [card.slice(1), tagsOf(card).map(shownEntry).join(", ")];
    return ["", name, name === all ? "" : ` ${all}`];
  }
  return [
    ...splitTag(card),
    tagsOf(card)
      .slice(1)
      .map((tag) => ` + ${tag}`)
      .join(""),
  ];
}

export function bestOf(card: string): BestSetting {
  return cardSettings(card).best ?? (markBest.value ? "auto" : "none");
}

export function isPinned(tag: string): boolean {
  return pins.value.includes(tag);
}

export function togglePin(tag: string): void {
  pins.value = isPinned(tag) ? pins.value.filter((other) => other !== tag) : [...pins.value, tag];
}

/** Whether a group is expanded. `large` groups are collapsed unless the user expands them or filters tags. */
export function isOpen(group: string, large: ReadonlySet<string>): boolean {
  return (
    !folded.value.includes(group) && (!large.has(group) || tagFilter.value !== "" || unfolded.value.includes(group))
  );
}

export function toggleFold(group: string, large: ReadonlySet<string>): void {
  if (isOpen(group, large)) folded.value = [...folded.value, group];
  else if (folded.value.includes(group)) folded.value = folded.value.filter((other) => other !== group);
  if (!isOpen(group, large) && !folded.value.includes(group)) unfolded.value = [...unfolded.value, group];
}

/** The smoothing of all charts leaves out series that do not need it. That of a single chart applies to all of its series. */
export function smoothingOf(tag: string): Smoothing {
  const { smooth } = cardSettings(tag);
  const bounded = Math.min(Math.max(smooth ?? weight.value, 0), WEIGHT.maximum);
  if (bounded === 0 || method.value === "none") return { method: "none", weight: 0 };
  return { method: method.value, weight: bounded, only_noisy: smooth === undefined };
}
