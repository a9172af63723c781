/* Actions of the Charts tab for the keyboard and the command palette. */
import { cursor } from "../../app/cursor.svelte";
import { type Action, describe, type Gesture, provide, register, type Source } from "../../base/actions";
import { lowerBound } from "../../charts/lines/data";
import { visibleCharts } from "./chart.svelte";
import type { PopoverContent } from "./toolbarPopover";
import {
  below,
  cards as chartSettings,
  cardSettings,
  full,
  ignoreOutliers,
  linkedWindow,
  linkZoom,
  setCard,
  toggleLog,
  togglePin,
} from "./settings.svelte";

const MAX_FOUND = 20;

const GESTURES: Gesture[] = [
  ["Zoom x", "drag"],
  ["Zoom y", "⇧ drag"],
  ["Zoom at the pointer", "Ctrl wheel"],
  ["Pan", "middle drag"],
  ["Reset zoom", "double click"],
  ["Pin a step", "click"],
  ["Move the pinned step", "drag its flag"],
  ["Move a chart", "drag its title"],
  ["Overlay a chart on another", "⇧ drag its title"],
  ["Resize a chart", "drag its corner"],
].map(([title, how]) => ({ group: "Charts", title: title!, how: how! }));

export interface CardRef {
  id: string;
  tag: string;
}

export interface Cards {
  sequence(): CardRef[];
  focused(): string | null;
  focusCard(id: string): void;
  search(): HTMLInputElement | undefined;
  open(what: PopoverContent): void;
}

/** Registers all actions, and the tags as search results. Returns a function that removes them. */
export function cardActions(cards: Cards, tags: () => string[]): () => void {
  const stops = [registerActions(cards), provide(tagSource(tags)), describe(GESTURES)];
  return () => stops.forEach((stop) => stop());
}

function registerActions(cards: Cards): () => void {
  /** The focused chart, or else the one under the pointer. */
  const current = (): string | null =>
    full.value || (cards.sequence().find((card) => card.id === (cards.focused() ?? cursor.source))?.tag ?? null);
  const onCard = (run: (tag: string) => void): Pick<Action, "enabled" | "run"> => ({
    enabled: () => current() !== null,
    run: () => run(current()!),
  });

  function go(by: 1 | -1): void {
    const list = cards.sequence();
    if (full.value) {
      const at = list.findIndex((card) => card.tag === full.value);
      const next = list[at + by];
      if (next) full.value = next.tag;
      return;
    }
    const at = list.findIndex((card) => card.id === cards.focused());
    const next = list[at < 0 ? 0 : Math.min(Math.max(at + by, 0), list.length - 1)];
    if (next) cards.focusCard(next.id);
  }

  return register([
    { id: "charts.next", title: "Next chart", keys: ["J"], group: "Charts", run: () => go(1) },
    { id: "charts.previous", title: "Previous chart", keys: ["K"], group: "Charts", run: () => go(-1) },
    {
      id: "charts.full",
      title: "Expand chart",
      also: "full screen fullscreen size maximize enlarge panel",
      keys: ["F"],
      group: "Charts",
      icon: "expand",
      ...onCard((tag) => (full.value = full.value ? "" : tag)),
    },
    {
      id: "charts.pin",
      title: "Pin or unpin chart",
      also: "favorite panel card",
      keys: ["P"],
      group: "Charts",
      icon: "pin",
      ...onCard(togglePin),
    },
    {
      id: "charts.log",
      title: "Log scale",
      also: "y axis logarithmic",
      keys: ["Y"],
      group: "Charts",
      icon: "log",
      ...onCard(toggleLog),
    },
    {
      id: "charts.reset",
      title: "Reset zoom",
      also: "fit domain to data",
      keys: ["0"],
      group: "Charts",
      icon: "reset",
      run: () => resetZoom(current()),
    },
    { id: "charts.back", title: "Move pinned step back", keys: ["["], group: "Charts", run: () => moveStep(-1) },
    { id: "charts.on", title: "Move pinned step forward", keys: ["]"], group: "Charts", run: () => moveStep(1) },
    {
      id: "charts.legend",
      title: "Legend with values",
      also: "run names table",
      keys: ["L"],
      group: "Charts",
      icon: "table",
      ...onCard(toggleLegend),
    },
    {
      id: "charts.close",
      title: "Back to all charts",
      keys: ["Escape"],
      group: "Charts",
      enabled: () => full.value !== "" || cursor.pinned !== null,
      run: leave,
    },
    {
      id: "charts.outliers",
      title: "Toggle ignore outliers",
      also: "in chart scaling y range",
      group: "Charts",
      run: () => (ignoreOutliers.value = !ignoreOutliers.value),
    },
    {
      id: "charts.link",
      title: "Toggle link zoom",
      also: "sync synchronize step selection all charts",
      group: "Charts",
      run: () => (linkZoom.value = !linkZoom.value),
    },
    { id: "charts.reset-all", title: "Reset zoom of all charts", group: "Charts", icon: "reset", run: resetZooms },
    {
      id: "charts.compose",
      title: "New chart…",
      also: "add panel card custom combine several tags",
      keys: ["+"],
      group: "Charts",
      icon: "plus",
      run: () => cards.open({ compose: [] }),
    },
    {
      id: "charts.export",
      title: "Export all charts…",
      also: "download data csv json svg arrow image",
      keys: ["E"],
      group: "Charts",
      icon: "down",
      enabled: () => !full.value,
      run: () => cards.open({ anchor: null }),
    },
    {
      id: "charts.filter",
      title: "Filter tags",
      also: "search regex metrics panels charts",
      keys: ["G"],
      group: "Charts",
      icon: "search",
      enabled: () => !full.value,
      run: () => cards.search()?.focus(),
    },
  ]);
}

/** Finds tags in the command palette. A result opens the expanded chart. */
function tagSource(all: () => string[]): Source {
  return {
    group: "Tags",
    find: (words) => {
      const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
      const found = all().filter((tag) => parts.every((part) => tag.toLowerCase().includes(part)));
      return found.slice(0, MAX_FOUND).map((tag) => ({
        id: `tag:${tag}`,
        title: tag,
        group: "Tags",
        icon: "chart" as const,
        hint: "expand",
        run: () => (full.value = tag),
      }));
    },
  };
}

function resetZoom(tag: string | null): void {
  if (tag === null || linkZoom.value) resetZooms();
  else setCard(tag, { zoom: undefined, lim: undefined });
}

function toggleLegend(tag: string): void {
  if (full.value) below.value = below.value === "runs" ? "nothing" : "runs";
  else setCard(tag, { legend: cardSettings(tag).legend ? undefined : true });
}

function leave(): void {
  if (full.value) full.value = "";
  else cursor.pinned = null;
}

/** Moves the pinned step to the next x of a chart on screen. Several moves are one entry of the browser's history. */
function moveStep(by: 1 | -1): void {
  const xs = visibleCharts().find((chart) => chart.data?.x.length)?.data?.x;
  if (!xs) return;
  const last = xs.length - 1;
  cursor.previewPinned(
    xs[cursor.pinned === null ? last : Math.max(0, Math.min(last, nextIndex(xs, cursor.pinned, by)))]!,
  );
}

function nextIndex(xs: Float64Array, x: number, by: 1 | -1): number {
  const at = lowerBound(xs, x);
  if (by < 0) return at - 1;
  return xs[at] === x ? at + 1 : at;
}

function resetZooms(): void {
  linkedWindow.value = null;
  const rest = Object.entries(chartSettings.value).map(([tag, { zoom: _, lim: __, ...own }]) => [tag, own] as const);
  chartSettings.value = Object.fromEntries(rest.filter(([, own]) => Object.keys(own).length));
}
