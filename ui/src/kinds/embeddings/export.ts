/* Downloads: points, neighbors and selections as CSV, and the picture as PNG or SVG. */
import { csvCell, plainName, save } from "../../base/save";
import { drawNote, drawTitle, type ImageFormat, makeImage, PNG_SCALE } from "../../charts/exportImage";
import type { Theme } from "../../charts/theme";
import { toasts } from "../../widgets/toasts.svelte";
import { drawPoints, type PointScene } from "./drawPoints";
import { textOf } from "./metadata";
import type { EmbeddingsModel } from "./model.svelte";

const TITLE_PX = 60;

/** Saves rows with their position on screen, their metadata and whether they are selected. */
export function savePoints(model: EmbeddingsModel, rows: Iterable<number>, name: string): void {
  const layout = model.layoutOf(model.source);
  if (!layout) return;
  const axes = (["x", "y", "z"] as const).filter((axis) => layout[axis]);
  const selected = new Set(model.selection);
  const head = ["row", ...axes, "selected", ...model.columns.map(({ name }) => name)];
  const lines = [head.map(csvCell).join(",")];
  for (const row of rows) {
    const cells = [row, ...axes.map((axis) => layout[axis]![row]!), selected.has(row) ? 1 : 0];
    lines.push([...cells, ...model.columns.map((column) => textOf(column, row))].map(csvCell).join(","));
  }
  saveCsv(lines, `${fileName(model)}-${name}.csv`);
}

export function saveNeighbors(model: EmbeddingsModel): void {
  const { neighbors } = model;
  if (!neighbors) return;
  const head = ["row", "distance", ...model.columns.map(({ name }) => name)];
  const lines = neighbors.neighbors.map(({ row, distance }) =>
    [row, distance, ...model.columns.map((column) => textOf(column, row))].map(csvCell).join(","),
  );
  saveCsv([head.map(csvCell).join(","), ...lines], `${fileName(model)}-neighbors-of-${neighbors.row}.csv`);
}

export async function savePicture(
  model: EmbeddingsModel,
  scene: PointScene,
  theme: Theme,
  format: ImageFormat,
): Promise<void> {
  const { width, height } = model.size;
  const size = { width, height: height + TITLE_PX };
  const image = await makeImage(format, size, (pen) => {
    drawTitle(pen, theme, size, `${model.tag}, step ${model.source?.step ?? 0}`);
    drawNote(pen, theme, `${model.shape?.rows ?? 0} points × ${model.shape?.columns ?? 0} dimensions`);
    pen.translate(0, TITLE_PX);
    drawPoints(pen, { ...scene, hovered: null }, { width, height, ratio: PNG_SCALE, theme });
  });
  const name = `${fileName(model)}.${format.toLowerCase()}`;
  save(image, name);
  toasts.show({ icon: "check", text: `Saved ${name}` });
}

function saveCsv(lines: string[], name: string): void {
  save(new Blob([lines.join("\n"), "\n"], { type: "text/csv" }), name);
  toasts.show({ icon: "check", text: `Saved ${name}`, detail: `${lines.length - 1} rows` });
}

const fileName = ({ tag, source }: EmbeddingsModel): string => plainName(`${tag}-step${source?.step ?? 0}`);
