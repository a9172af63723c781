/* Settings of the charts in the command palette: smoothing, x axis, columns, image export. */
import { open } from "../../app/openDialog.svelte";
import { type Action, provide, register } from "../../base/actions";
import { columns, weight, xAxis } from "./settings.svelte";
import { WEIGHT } from "./smoothing";

const GROUP = "Charts";
const WEIGHTS = [0, 0.3, WEIGHT.initial, 0.8, 0.9, 0.95, 0.99];
const COLUMNS = [0, 1, 2, 3, 4, 5, 6];
const AXES = { step: "step", relative: "relative time", wall: "wall time" } as const;

/** Registers the actions. `cards` returns the charts on screen. */
export function settingActions(cards: () => string[]): () => void {
  const stops = [
    register([
      {
        id: "charts.smoothing",
        title: "Smoothing…",
        group: GROUP,
        icon: "sliders",
        run: () => open.search("smoothing "),
      },
      { id: "charts.x", title: "X axis…", group: GROUP, icon: "chart", run: () => open.search("x axis ") },
      { id: "charts.columns", title: "Columns…", group: GROUP, icon: "columns", run: () => open.search("columns ") },
      {
        id: "charts.png",
        title: "Export all charts as PNG",
        group: GROUP,
        icon: "down",
        enabled: () => cards().length > 0,
        run: () => void exportPng(cards()),
      },
    ]),
    provide({ group: "Chart settings", find: findSettings }),
  ];
  return () => stops.forEach((stop) => stop());
}

async function exportPng(cards: string[]): Promise<void> {
  const { exportPage, MAX_CHARTS } = await import("./exportPage.svelte");
  await exportPage([...new Set(cards)].slice(0, MAX_CHARTS), "PNG");
}

/** Finds values of settings: `smoothing 0.85`, `x axis wall`, `columns 3`. */
function findSettings(words: string): Action[] {
  const parts = words.toLowerCase().split(/\s+/);
  return [...smoothings(parts), ...axes(), ...columnCounts()].filter(({ title }) =>
    parts.every((part) => title.toLowerCase().includes(part)),
  );
}

function smoothings(parts: string[]): Action[] {
  const typed = parts
    .filter((part) => part !== "")
    .map(Number)
    .filter((value) => value >= 0 && value <= WEIGHT.maximum);
  return [...new Set([...typed, ...WEIGHTS])].map((value) => ({
    id: `smoothing.${value}`,
    title: `Smoothing: ${value}`,
    icon: "sliders",
    hint: value === 0 ? "off" : value === WEIGHT.initial ? "default" : undefined,
    run: () => (weight.value = value),
  }));
}

function axes(): Action[] {
  return Object.entries(AXES).map(([axis, title]) => ({
    id: `x.${axis}`,
    title: `X axis: ${title}`,
    icon: "chart",
    run: () => (xAxis.value = axis as keyof typeof AXES),
  }));
}

function columnCounts(): Action[] {
  return COLUMNS.map((count) => ({
    id: `columns.${count}`,
    title: `Columns: ${count === 0 ? "fit" : count}`,
    icon: "columns",
    run: () => (columns.value = count),
  }));
}
