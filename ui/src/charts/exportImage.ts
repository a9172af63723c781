/** Images for download: one drawing as PNG or as SVG, and the parts that such images share. */
import type { Pen } from "./pen";
import { drawText } from "./shapes";
import { SvgPen } from "./svgPen";
import type { Theme } from "./theme";

export const IMAGE_FORMATS = ["PNG", "SVG"] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

export interface Size {
  width: number;
  height: number;
}

/** Pixels of a PNG per CSS pixel. */
export const PNG_SCALE = 2;

/** Makes an image of that size in CSS pixels. */
export async function makeImage(format: ImageFormat, size: Size, draw: (pen: Pen) => void): Promise<Blob> {
  if (format === "PNG") return makePng(size, draw);
  const pen = new SvgPen(size.width, size.height);
  draw(pen);
  return new Blob([pen.toString()], { type: "image/svg+xml" });
}

function makePng({ width, height }: Size, draw: (pen: Pen) => void): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = width * PNG_SCALE;
  canvas.height = height * PNG_SCALE;
  const pen = canvas.getContext("2d")!;
  pen.scale(PNG_SCALE, PNG_SCALE);
  draw(pen);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("The browser could not encode the image."))),
      "image/png",
    ),
  );
}

/** Distance of everything from the left and right edges of an image. */
export const EDGE = 16;

/** Fills the background and writes the title. */
export function drawTitle(pen: Pen, theme: Theme, { width, height }: Size, title: string): void {
  pen.fillStyle = theme.surface;
  pen.fillRect(0, 0, width, height);
  drawText(pen, title, EDGE, 22, { font: `600 15px ${theme.font}`, color: theme.ink });
}

/** Writes a note below the title. */
export function drawNote(pen: Pen, theme: Theme, note: string): void {
  drawText(pen, note, EDGE, 42, { font: `12px ${theme.font}`, color: theme.ink3 });
}
