/* Everything the Charts view lets you set. All of it is in the address. */
import type { Smoothing, XAxis } from "../../api/types";
import { type Codec, flag, json, list, oneOf, param, real, text } from "../../base/url";
import type { Span } from "../../charts/box";
import type { ScaleKind } from "../../charts/scale";
import { splitTag } from "./groups";

/** What one card has of its own; what is absent is as the board has it. */
export interface CardSettings {
  /** Tags drawn over the card's own. */
  with?: string[];
  y?: ScaleKind;
  /** Limits of y; null is automatic. */
  lim?: [number | null, number | null];
  zoom?: Span;
  smooth?: number;
  legend?: boolean;
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

export const METHODS = ["ema", "gaussian", "mean", "none"] as const;
export const SMOOTHEST = 0.99;

export const tagFilter = param("tags", text, "");
export const xAxis = param<XAxis>("x", xAxisCodec, "step");
export const weight = param("smooth", real, 0.6);
export const method = param<Smoothing["method"]>("method", oneOf(...METHODS), "ema");
export const ignoreOutliers = param("outliers", flag, true);
export const linkZoom = param("link", flag, false);
/** The window of all cards while their zoom is linked. */
export const linkedWindow = param<Span | null>("zoom", spanCodec, null);
/** 0: as many as fit. */
export const columns = param("cols", real, 0);
export const pins = param("pins", list, []);
export const folded = param("folded", list, []);
/** Groups that start folded and were opened. */
export const unfolded = param("unfolded", list, []);
/** Tags moved to the front of their groups by hand. */
export const order = param("order", list, []);
/** The card in full view, by its tag. */
export const full = param("full", text, "");
/** What stands below a full view. */
export const below = param("below", oneOf("runs", "points", "nothing"), "runs");
const cards = param<Record<string, CardSettings>>("cards", json(), {});
/** Cards composed by hand: their tags. The names begin with *, so that they are no tag's. */
export const own = param<Record<string, string[]>>("own", ownCodec, {});

export function cardSettings(tag: string): CardSettings {
  return cards.value[tag] ?? {};
}

/** Changes what a card has of its own; undefined gives it back to the board, null all of it. */
export function setCard(tag: string, change: Partial<CardSettings> | null, preview = false): void {
  const own = Object.fromEntries(
    Object.entries<unknown>({ ...(change && cardSettings(tag)), ...change }).filter(([, value]) => value !== undefined),
  ) as CardSettings;
  const { [tag]: _, ...rest } = cards.value;
  const next = Object.keys(own).length ? { ...rest, [tag]: own } : rest;
  if (preview) cards.preview(next);
  else cards.value = next;
}

/** A card's own tag and those laid over it, or those that it was composed of. */
export function tagsOf(card: string): string[] {
  return own.value[card] ?? [card, ...(cardSettings(card).with ?? []).filter((tag) => tag !== card)];
}

export function setTags(card: string, tags: string[]): void {
  if (own.value[card]) own.value = { ...own.value, [card]: tags };
  else setCard(card, { with: tags.length > 1 ? tags.slice(1) : undefined });
}

/** A card's title in its three inks: what stands before the name, the name, what is laid over it. */
export function titleOf(card: string): string[] {
  if (own.value[card]) return ["", card.slice(1), ` ${tagsOf(card).join(", ")}`];
  return [
    ...splitTag(card),
    tagsOf(card)
      .slice(1)
      .map((tag) => ` + ${tag}`)
      .join(""),
  ];
}

export function resetZooms(): void {
  linkedWindow.value = null;
  const rest = Object.entries(cards.value).map(([tag, { zoom: _, lim: __, ...own }]) => [tag, own] as const);
  cards.value = Object.fromEntries(rest.filter(([, own]) => Object.keys(own).length));
}

export function isPinned(tag: string): boolean {
  return pins.value.includes(tag);
}

export function togglePin(tag: string): void {
  pins.value = isPinned(tag) ? pins.value.filter((other) => other !== tag) : [...pins.value, tag];
}

/** Whether a group is shown open; `large` ones are folded unless they are asked for, or searched in. */
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

export function smoothingOf(tag: string): Smoothing {
  const own = cardSettings(tag).smooth ?? weight.value;
  const bounded = Math.min(Math.max(own, 0), 0.999);
  return bounded === 0
    ? { method: "none", weight: 0 }
    : { method: method.value, weight: method.value === "none" ? 0 : bounded };
}
