/** A chart to take away: title, axes and legend with run names around the same drawing, as PNG at twice the size or as SVG. */
import { drawChart, type Look, type Scene } from "./lines/draw";
import { makeFrame } from "./frame";
import type { Pen } from "./pen";
import { SvgPen } from "./svgPen";
import type { Theme } from "./theme";

export interface Caption {
  title: string;
  /** Names of the axes. */
  x: string;
  y: string;
  /** A line below the title: which part is shown and how it was smoothed. */
  note: string;
}

const WIDTH = 880;
const PLOT = 440;
const HEAD = 56;
const ROW = 20;
const EDGE = 16;
const PNG_SCALE = 2;

export function toSvg(scene: Scene, caption: Caption): string {
  const pen = new SvgPen(WIDTH, heightOf(scene));
  paint(pen, scene, caption);
  return pen.toString();
}

export function toPng(scene: Scene, caption: Caption): Promise<Blob> {
  return canvasPng(WIDTH, heightOf(scene), (pen) => paint(pen, scene, caption));
}

/** A picture of that size in CSS pixels, at twice as many dots. */
export async function canvasPng(width: number, height: number, paint: (pen: Pen) => void): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = width * PNG_SCALE;
  canvas.height = height * PNG_SCALE;
  const pen = canvas.getContext("2d")!;
  pen.scale(PNG_SCALE, PNG_SCALE);
  paint(pen);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("The browser could not encode the picture."))),
      "image/png",
    ),
  );
}

function legend(scene: Scene): Look[] {
  return scene.data.lines.filter((line) => !line.attempt).map((line) => scene.look(line));
}

const columns = (entries: Look[]): number => legendColumns(entries, WIDTH - 2 * EDGE);

/** Letters are not measured: an SVG has none to measure with. */
export function legendColumns(entries: { label: string }[], width: number): number {
  const longest = Math.max(8, ...entries.map((entry) => entry.label.length));
  return Math.max(1, Math.floor(width / (longest * 6.6 + 44)));
}

function heightOf(scene: Scene): number {
  const entries = legend(scene);
  return HEAD + PLOT + 28 + Math.ceil(entries.length / columns(entries)) * ROW + EDGE;
}

function paint(pen: Pen, scene: Scene, caption: Caption): void {
  pen.fillStyle = scene.theme.surface;
  pen.fillRect(0, 0, WIDTH, heightOf(scene));
  write(pen, caption.title, EDGE, 22, `600 15px ${scene.theme.font}`, scene.theme.ink);
  write(pen, caption.note, EDGE, 42, `12px ${scene.theme.font}`, scene.theme.ink3);
  pen.save();
  pen.translate(0, HEAD);
  const { x, y, xKind } = scene.frame;
  const frame = makeFrame({
    width: WIDTH,
    height: PLOT,
    x: [x.lo, x.hi],
    xKind,
    y: [y.lo, y.hi],
    yKind: y.kind,
    bend: y.bend,
    roomy: true,
  });
  drawChart(pen, { ...scene, frame, vector: true });
  pen.restore();
  pen.textAlign = "right";
  write(pen, caption.x, WIDTH - EDGE, HEAD + PLOT + 10, `11px ${scene.theme.font}`, scene.theme.ink2);
  pen.textAlign = "left";
  write(pen, caption.y, EDGE, HEAD + PLOT + 10, `11px ${scene.theme.font}`, scene.theme.ink2);
  paintLegend(pen, scene);
}

export function write(pen: Pen, words: string, x: number, y: number, font: string, ink: string): void {
  pen.font = font;
  pen.textBaseline = "middle";
  pen.fillStyle = ink;
  pen.fillText(words, x, y);
}

function paintLegend(pen: Pen, scene: Scene): void {
  const entries = legend(scene);
  const across = columns(entries);
  const step = (WIDTH - 2 * EDGE) / across;
  entries.forEach((entry, i) =>
    paintKey(pen, scene.theme, entry, EDGE + (i % across) * step, HEAD + PLOT + 34 + Math.floor(i / across) * ROW),
  );
}

/** A piece of a line and its name. */
export function paintKey(
  pen: Pen,
  theme: Theme,
  { label, color, dash }: Pick<Look, "label" | "color" | "dash">,
  x: number,
  y: number,
): void {
  pen.strokeStyle = color;
  pen.lineWidth = 2.5;
  pen.setLineDash([...dash]);
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x + 20, y);
  pen.stroke();
  pen.setLineDash([]);
  pen.textAlign = "left";
  write(pen, label, x + 28, y, `12px ${theme.font}`, theme.ink);
}
