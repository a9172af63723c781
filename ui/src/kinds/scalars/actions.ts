/* What the keyboard and the palette can do here. */
import { cursor } from "../../app/cursor.svelte";
import { type Action, describe, type Gesture, provide, register, type Source } from "../../base/actions";
import { lowerBound } from "../../charts/lines/data";
import { visibleCharts } from "./chart.svelte";
import type { PopoverContent } from "./toolbarPopover";
import { below, cardSettings, full, ignoreOutliers, linkZoom, resetZooms, setCard, togglePin } from "./settings.svelte";

const MOST_FOUND = 20;

const GESTURES: Gesture[] = [
  ["Zoom x", "drag"],
  ["Zoom y", "⇧ drag"],
  ["Zoom at the pointer", "Ctrl wheel"],
  ["Pan", "middle drag"],
  ["Reset the zoom", "double click"],
  ["Set the step cursor", "click"],
  ["Move the step cursor", "drag its flag"],
  ["Move a card", "drag its title"],
  ["Lay a card over another", "⇧ drag its title"],
  ["Resize a card", "drag its corner"],
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

/** Registers them all, and the tags as what the palette finds; gives the way to take them back. */
export function cardActions(cards: Cards, tags: () => string[]): () => void {
  const stops = [registerActions(cards), provide(tagSource(tags)), describe(GESTURES)];
  return () => stops.forEach((stop) => stop());
}

function registerActions(cards: Cards): () => void {
  /** The card with the ring; where none has it, the one under the pointer. */
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
    { id: "charts.next", title: "Next card", keys: ["J"], group: "Cards", run: () => go(1) },
    { id: "charts.previous", title: "Previous card", keys: ["K"], group: "Cards", run: () => go(-1) },
    {
      id: "charts.full",
      title: "Full view",
      keys: ["F"],
      group: "Cards",
      icon: "expand",
      ...onCard((tag) => (full.value = full.value ? "" : tag)),
    },
    {
      id: "charts.pin",
      title: "Pin or unpin the card",
      keys: ["P"],
      group: "Cards",
      icon: "pin",
      ...onCard(togglePin),
    },
    {
      id: "charts.log",
      title: "Log y",
      keys: ["Y"],
      group: "Cards",
      icon: "log",
      ...onCard((tag) => setCard(tag, { y: cardSettings(tag).y === "log" ? undefined : "log" })),
    },
    {
      id: "charts.reset",
      title: "Reset zoom",
      keys: ["0"],
      group: "Cards",
      icon: "reset",
      run: () => resetZoom(current()),
    },
    { id: "charts.back", title: "Step cursor back", keys: ["["], group: "Cards", run: () => moveStep(-1) },
    { id: "charts.on", title: "Step cursor on", keys: ["]"], group: "Cards", run: () => moveStep(1) },
    {
      id: "charts.legend",
      title: "Legend with values",
      keys: ["L"],
      group: "Cards",
      icon: "table",
      ...onCard(toggleLegend),
    },
    {
      id: "charts.close",
      title: "Back to all cards",
      keys: ["Escape"],
      group: "Cards",
      enabled: () => full.value !== "" || cursor.pinned !== null,
      run: leave,
    },
    {
      id: "charts.outliers",
      title: "Ignore outliers, on or off",
      group: "Charts",
      run: () => (ignoreOutliers.value = !ignoreOutliers.value),
    },
    {
      id: "charts.link",
      title: "Link zoom, on or off",
      group: "Charts",
      run: () => (linkZoom.value = !linkZoom.value),
    },
    { id: "charts.reset-all", title: "Reset the zoom of all cards", group: "Charts", icon: "reset", run: resetZooms },
    {
      id: "charts.compose",
      title: "New card of several tags…",
      keys: ["+"],
      group: "Charts",
      icon: "plus",
      run: () => cards.open({ compose: [] }),
    },
    {
      id: "charts.export",
      title: "Export all cards…",
      keys: ["E"],
      group: "Charts",
      icon: "down",
      enabled: () => !full.value,
      run: () => cards.open({ anchor: null }),
    },
    {
      id: "charts.filter",
      title: "Filter tags",
      keys: ["G"],
      group: "Charts",
      icon: "search",
      enabled: () => !full.value,
      run: () => cards.search()?.focus(),
    },
  ]);
}

/** Tags in the palette: each opens in full view. */
function tagSource(all: () => string[]): Source {
  return {
    group: "Tags",
    find: (words) => {
      const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
      const found = all().filter((tag) => parts.every((part) => tag.toLowerCase().includes(part)));
      return found.slice(0, MOST_FOUND).map((tag) => ({
        id: `tag:${tag}`,
        title: tag,
        group: "Tags",
        icon: "chart" as const,
        hint: "full view",
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

/** To the next x that some chart on screen has. */
function moveStep(by: 1 | -1): void {
  const xs = visibleCharts().find((chart) => chart.data?.x.length)?.data?.x;
  if (!xs) return;
  if (cursor.pinned === null) {
    cursor.pinned = xs[xs.length - 1]!;
    return;
  }
  const at = lowerBound(xs, cursor.pinned);
  const next = by > 0 ? (xs[at] === cursor.pinned ? at + 1 : at) : at - 1;
  cursor.pinned = xs[Math.max(0, Math.min(xs.length - 1, next))]!;
}
