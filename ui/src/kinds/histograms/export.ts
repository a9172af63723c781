/** Downloads of histograms: the chart as an image, or all logged numbers. */
import { board } from "../../app/board.svelte";
import { dashOf } from "../../app/colors";
import { counted } from "../../base/format";
import { csvCell, plainName, save, saveFrom } from "../../base/save";
import { drawTitle, EDGE, type ImageFormat, makeImage, PNG_SCALE } from "../../charts/exportImage";
import { drawLegendEntry } from "../../charts/legend";
import type { Pen } from "../../charts/pen";
import { drawText } from "../../charts/shapes";
import type { Theme } from "../../charts/theme";
import { toasts } from "../../widgets/toasts.svelte";
import { drawHistograms } from "./drawHistograms";
import type { Layer } from "./layers";
import type { HistogramScene } from "./scene";

const [WIDTH, PLOT_HEIGHT, HEAD] = [880, 440, 72];
const SIZE = { width: WIDTH, height: HEAD + PLOT_HEIGHT };

export interface HistogramImage {
  tag: string;
  drawn: { run: string; scene: HistogramScene }[];
  theme: Theme;
}

export async function saveImage(image: HistogramImage, format: ImageFormat): Promise<void> {
  const name = `${plainName(image.tag)}-${image.drawn[0]!.scene.shape}.${format.toLowerCase()}`;
  try {
    save(await makeImage(format, SIZE, (pen) => draw(pen, image)), name);
    toasts.show({ icon: "check", text: `Saved ${name}` });
  } catch (reason) {
    toasts.fail(`Could not create ${name}`, reason);
  }
}

function draw(pen: Pen, { tag, drawn, theme }: HistogramImage): void {
  const { grid, shape, x } = drawn[0]!.scene;
  drawTitle(pen, theme, SIZE, tag);
  const merged = grid.steps > grid.columns ? ` in ${grid.columns} columns` : "";
  const note = `${shape} · x: ${x} · ${counted(grid.steps, "step")}${merged}`;
  drawText(pen, note, WIDTH - EDGE, 22, { font: `12px ${theme.font}`, color: theme.ink3, align: "right" });
  drawn.forEach(({ run, scene: { color } }, i) => {
    const left = EDGE + (i * (WIDTH - 2 * EDGE)) / drawn.length;
    drawLegendEntry(pen, theme, { label: board.label(run), color, dash: dashOf(board.dash(run)) }, left, 42);
  });
  pen.save();
  pen.translate(0, HEAD - 8);
  drawHistograms(
    pen,
    drawn.map(({ scene }) => scene),
    { width: WIDTH, height: PLOT_HEIGHT, pixelRatio: PNG_SCALE, theme },
  );
  pen.restore();
}

/** Downloads every logged step. The server writes the file. */
export function saveNumbers(
  { run, tag }: { run: string; tag: string },
  what: "buckets" | "bands",
  format: "csv" | "json",
): void {
  saveFrom(
    `api/histograms/export?${new URLSearchParams({ run, tag, what, format })}`,
    `${plainName(tag)}-${what}.${format}`,
  );
}

export function saveLayers(run: string, layers: Layer[]): void {
  save(new Blob([layersCsv(layers)], { type: "text/csv" }), `${plainName(board.label(run))}-layers.csv`);
}

export function layersCsv(layers: Layer[]): string {
  const rows = layers.map(({ tag, steps, last_step, change, norm, zeros, spread }) =>
    [tag, steps, last_step, change ?? "", norm ?? "", zeros ?? "", spread ?? ""].map(csvCell).join(","),
  );
  return `${["tag,steps,last_step,change,norm,zeros,spread", ...rows].join("\n")}\n`;
}
