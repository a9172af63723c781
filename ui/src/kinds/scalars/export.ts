/* Exports of charts. Images are drawn from the data on screen. Tables are complete series from the server. */
import { post } from "../../api/client";
import { baseline } from "../../app/baseline.svelte";
import { board } from "../../app/board.svelte";
import { BANDS } from "../../app/groups/lineSettings";
import { counted, integer } from "../../base/format";
import { plainName, save } from "../../base/save";
import type { ChartData } from "../../charts/lines/data";
import { IMAGE_FORMATS } from "../../charts/exportImage";
import { type Caption, exportChart as chartImage } from "../../charts/lines/exportChart";
import { xLabel } from "../../charts/tickLabels";
import { toasts } from "../../widgets/toasts.svelte";
import { type Chart, currentRuns } from "./chart.svelte";
import { axisName } from "./axisName";
import { entriesOf, smoothingOf, titleOf, xAxis } from "./settings.svelte";

export const DATA_FORMATS = ["CSV", "JSON", "Arrow"] as const;
export type DataFormat = (typeof DATA_FORMATS)[number];
export const FORMATS = [...IMAGE_FORMATS, ...DATA_FORMATS] as const;
export type Format = (typeof FORMATS)[number];

/** Maximum number of tags per chart in a request. */
const TAGS_PER_CHART = 50;

export async function exportChart(chart: Chart, format: Format): Promise<void> {
  const name = titleOf(chart.tag).slice(0, 2).join("");
  if (format !== "PNG" && format !== "SVG") return exportCards([chart.tag], format, name);
  const scene = chart.plot?.scene();
  if (!scene || !chart.data) return;
  const detail = `${counted(chart.data.lines.length, "line")}, ${windowText(chart)}`;
  await download(fileName(name, format), detail, () => chartImage(scene, captionOf(chart, chart.data!), format));
}

/** Exports every point of the charts as one file, including the lines that a crowded chart draws as a density. */
export async function exportCards(cards: string[], format: DataFormat, name: string): Promise<void> {
  const request = xAxis.value === "step" ? board.grouping?.request : undefined;
  const groups = request && {
    center: request.center,
    band: request.band,
    groups: request.groups.map((group) => ({ ...group, label: board.label(group.key) })),
  };
  const body = {
    runs: currentRuns(),
    baseline: baseline(),
    ...groups,
    charts: chartQueries(cards),
    format: format.toLowerCase(),
  };
  const lines = request ? counted(request.groups.length, "group") : counted(board.visible.length, "run");
  const detail = `Every point of ${counted(cards.length, "chart")}, ${lines}`;
  await download(fileName(name, format), detail, async () => (await post("scalars/export", body)).blob());
}

/** Charts with the same smoothing are requested together. A tag of several charts is exported once. */
function chartQueries(cards: string[]): object[] {
  const bySmoothing = Map.groupBy(cards, (card) => JSON.stringify(smoothingOf(card)));
  return [...bySmoothing].flatMap(([smoothing, alike]) => {
    const style = { x: xAxis.value, smoothing: JSON.parse(smoothing) as object };
    const drawn = alike.map(entriesOf);
    return [
      ...parts(drawn.flatMap(({ tags }) => tags)).map((tags) => ({ tags, ...style })),
      ...parts(drawn.flatMap(({ formulas }) => formulas)).map((formulas) => ({ formulas, ...style })),
    ];
  });
}

function parts(all: string[]): string[][] {
  const each = [...new Set(all)];
  return Array.from({ length: Math.ceil(each.length / TAGS_PER_CHART) }, (_, i) =>
    each.slice(i * TAGS_PER_CHART, (i + 1) * TAGS_PER_CHART),
  );
}

/** Creates a file and downloads it. */
export async function download(name: string, detail: string, make: () => Promise<Blob>): Promise<void> {
  try {
    save(await make(), name);
    toasts.show({ icon: "check", text: `Saved ${name}`, detail });
  } catch (reason) {
    toasts.fail(`Could not create ${name}`, reason);
  }
}

export function fileName(name: string, format: Format): string {
  return `${plainName(name)}.${format.toLowerCase()}`;
}

function captionOf(chart: Chart, data: ChartData): Caption {
  const [prefix, name] = titleOf(chart.tag);
  return {
    title: chart.tags.map((tag) => chart.titleOf(tag)).join(", "),
    x: axisName(xAxis.value),
    y: chart.yKind === "linear" ? prefix! + name! : `${prefix}${name} (${chart.yKind})`,
    note: captionNote(chart, data),
  };
}

function windowText(chart: Chart): string {
  const [lo, hi] = chart.window;
  return `${axisName(xAxis.value)} ${xLabel(chart.xKind, lo, hi - lo)} – ${xLabel(chart.xKind, hi, hi - lo)}`;
}

function captionNote(chart: Chart, data: ChartData): string {
  const { groups, baseline } = chart.query;
  const against = baseline ? `, ${baseline.mode} to ${board.label(baseline.run)}` : "";
  const group = groups
    ? `, ${groups.center} of each group${groups.band === "none" ? "" : ` and ${BANDS[groups.band]}`}`
    : "";
  const downsampled = data.exact ? "" : `, ${integer(data.drawn)} of ${integer(data.points)} points`;
  return `${windowText(chart)}, ${smoothingText(chart)}${against}${group}${downsampled}`;
}

export function smoothingText(chart: Chart): string {
  const { method, weight } = chart.query.smoothing;
  return !chart.isSmoothed ? "not smoothed" : `smoothed (${method}, ${weight})`;
}
