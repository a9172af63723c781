/* A card to take away. Pictures are drawn from what is on screen; numbers are the whole series, not what was drawn. */
import { postFrames } from "../../api/frames";
import { board } from "../../app/board.svelte";
import { counted, integer } from "../../base/format";
import type { ChartData } from "../../charts/data";
import { toPng, toSvg } from "../../charts/picture";
import { xLabel } from "../../charts/ticks";
import { toasts } from "../../widgets/toasts.svelte";
import type { Chart } from "./chart.svelte";
import { axisName, xAxis } from "./settings.svelte";

export const FORMATS = ["PNG", "SVG", "CSV", "JSON"] as const;
export type Format = (typeof FORMATS)[number];

export interface Series {
  run: string;
  tag: string;
  step: ArrayLike<number>;
  wall: ArrayLike<number>;
  value: ArrayLike<number>;
  smoothed: ArrayLike<number>;
}

export async function exportChart(chart: Chart, format: Format): Promise<void> {
  const name = `${chart.tag.replace(/[^\w.-]+/g, "-")}.${format.toLowerCase()}`;
  try {
    const blob = await make(chart, format);
    if (!blob) return;
    save(blob, name);
    toasts.show({ icon: "check", text: `Saved ${name}`, detail: `${counted(chart.data!.lines.length, "line")}, ${windowText(chart)}` });
  } catch (reason) {
    toasts.fail(`${name} could not be made`, reason);
  }
}

async function make(chart: Chart, format: Format): Promise<Blob | null> {
  const scene = chart.plot?.scene();
  if (!scene || !chart.data) return null;
  const caption = { title: chart.tags.join(", "), x: axisName(xAxis.value), y: chart.yKind === "linear" ? chart.tag : `${chart.tag} (${chart.yKind})`, note: captionNote(chart, chart.data) };
  if (format === "PNG") return toPng(scene, caption);
  if (format === "SVG") return new Blob([toSvg(scene, caption)], { type: "image/svg+xml" });
  const series = await wholeSeries(chart, chart.data);
  return format === "CSV" ? new Blob([toCsv(series)], { type: "text/csv" }) : new Blob([toJson(series)], { type: "application/json" });
}

function windowText(chart: Chart): string {
  const [lo, hi] = chart.window;
  return `${axisName(xAxis.value)} ${xLabel(chart.xKind, lo, hi - lo)} – ${xLabel(chart.xKind, hi, hi - lo)}`;
}

function captionNote(chart: Chart, data: ChartData): string {
  const { method, weight } = chart.question.smoothing;
  const smoothing = method === "none" ? "not smoothed" : `smoothed (${method}, ${weight})`;
  const thinned = data.exact ? "" : `, ${integer(data.drawn)} of ${integer(data.points)} points drawn`;
  return `${windowText(chart)}, ${smoothing}${thinned}`;
}

async function wholeSeries(chart: Chart, data: ChartData): Promise<Series[]> {
  const out: Series[] = [];
  for (const line of data.lines.filter((line) => !line.attempt)) {
    const { tables } = await postFrames("scalars/points", { run: line.run, tag: line.tag, smoothing: chart.question.smoothing, format: "frames" });
    const column = (name: string): ArrayLike<number> => tables[0]![name] as ArrayLike<number>;
    out.push({ run: board.label(line.run), tag: line.tag, step: column("step"), wall: column("wall"), value: column("value"), smoothed: column("smoothed") });
  }
  return out;
}

export function toCsv(series: Series[]): string {
  const rows = ["run,tag,step,wall_time,value,smoothed"];
  for (const { run, tag, step, wall, value, smoothed } of series) {
    for (let i = 0; i < step.length; i++) rows.push([quoted(run), quoted(tag), step[i], wall[i], value[i], smoothed[i]].join(","));
  }
  return `${rows.join("\n")}\n`;
}

function quoted(text: string): string {
  // A cell that begins like a formula would be run by a spreadsheet.
  const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function toJson(series: Series[]): string {
  const numbers = (values: ArrayLike<number>): (number | string)[] => Array.from(values, (v) => (Number.isFinite(v) ? v : String(v)));
  return JSON.stringify(series.map((s) => ({ run: s.run, tag: s.tag, step: numbers(s.step), wall_time: numbers(s.wall), value: numbers(s.value), smoothed: numbers(s.smoothed) })));
}

function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
