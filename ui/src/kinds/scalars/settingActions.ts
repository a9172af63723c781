/* Settings of the charts in the command palette: smoothing, axes, columns, image export. */
import { open } from "../../app/openDialog.svelte";
import { rank } from "../../app/searchRank";
import { type Action, provide, register } from "../../base/actions";
import type { ScaleKind } from "../../charts/scale";
import {
  columns,
  listEmpty,
  mainOnTop,
  markBest,
  method,
  overlaySplits,
  weight,
  xAxis,
  yScale,
} from "./settings.svelte";
import { SMOOTHING_METHODS, WEIGHT } from "./smoothing";

const GROUP = "Charts";
const WEIGHTS = [0, 0.3, WEIGHT.initial, 0.8, 0.9, 0.95, 0.99];
const COLUMNS = [0, 1, 2, 3, 4, 5, 6];
const AXES = { step: "step", relative: "relative time", wall: "wall time" } as const;
const SCALES: Record<ScaleKind, string> = { linear: "linear", log: "log", symlog: "symlog" };

/** Registers the actions. `cards` returns the charts on screen. */
export function settingActions(cards: () => string[]): () => void {
  const stops = [
    register([
      {
        id: "charts.smoothing",
        title: "Smoothing…",
        also: "exponential moving average ema",
        group: GROUP,
        icon: "sliders",
        run: () => open.search("smoothing "),
      },
      {
        id: "charts.x",
        title: "X axis…",
        also: "horizontal time",
        group: GROUP,
        icon: "chart",
        run: () => open.search("x axis "),
      },
      {
        id: "charts.y",
        title: "Y axis of all charts…",
        also: "vertical log scale",
        group: GROUP,
        icon: "log",
        run: () => open.search("y axis "),
      },
      {
        id: "charts.columns",
        title: "Columns…",
        also: "card width size layout panels per row",
        group: GROUP,
        icon: "columns",
        run: () => open.search("columns "),
      },
      {
        id: "charts.empty",
        title: "Show or hide charts without data",
        also: "empty panels cards",
        group: GROUP,
        icon: "eye",
        run: () => (listEmpty.value = !listEmpty.value),
      },
      {
        id: "charts.splits",
        title: "Overlay validation on the charts of training",
        also: "train eval test split combine both",
        group: GROUP,
        icon: "overlay",
        run: () => (overlaySplits.value = !overlaySplits.value),
      },
      {
        id: "charts.best",
        title: "Mark the best step of each line, or not",
        also: "minimum maximum lowest highest",
        group: GROUP,
        icon: "pin",
        run: () => (markBest.value = !markBest.value),
      },
      {
        id: "charts.order",
        title: "Order of charts: main metrics first, or by name",
        also: "sort alphabetical losses",
        group: GROUP,
        icon: "sort",
        run: () => (mainOnTop.value = !mainOnTop.value),
      },
      {
        id: "charts.png",
        title: "Export all charts as PNG",
        also: "download image screenshot",
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
  return rank([...smoothings(parts), ...methods(), ...axes(), ...scales(), ...columnCounts()], words);
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

function methods(): Action[] {
  return SMOOTHING_METHODS.map(({ id, label }) => ({
    id: `method.${id}`,
    title: `Smoothing method: ${label}`,
    also: "average",
    icon: "sliders",
    run: () => (method.value = id),
  }));
}

function scales(): Action[] {
  return Object.entries(SCALES).map(([scale, title]) => ({
    id: `y.${scale}`,
    title: `Y axis of all charts: ${title} scale`,
    also: scale === "linear" ? "" : "logarithmic",
    icon: "log",
    run: () => (yScale.value = scale as ScaleKind),
  }));
}

function axes(): Action[] {
  return Object.entries(AXES).map(([axis, title]) => ({
    id: `x.${axis}`,
    title: `X axis: ${title}`,
    also: "horizontal",
    icon: "chart",
    run: () => (xAxis.value = axis as keyof typeof AXES),
  }));
}

function columnCounts(): Action[] {
  return COLUMNS.map((count) => ({
    id: `columns.${count}`,
    title: `Columns: ${count === 0 ? "fit" : count}`,
    also: "width",
    icon: "columns",
    run: () => (columns.value = count),
  }));
}
