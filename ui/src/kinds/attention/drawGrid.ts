/* Drawing of the overview on a canvas: cells, numbers of layers and heads, brackets around shared keys and values. */
import type { AttentionLayer } from "../../api/types";
import { drawText, tickFont } from "../../charts/shapes";
import type { Theme } from "../../charts/theme";
import type { HeadGridLayout } from "./grid";
import type { Sheet } from "./paint";

export interface GridScene {
  layout: HeadGridLayout;
  layers: AttentionLayer[];
  /** The patterns. Without them, cells are filled with `colorOf`. */
  sheet: Sheet | null;
  /** Color of a head as a pixel, or null if it has no value. */
  colorOf(index: number): number | null;
  theme: Theme;
}

/** What changes while heads are looked at. It is drawn above the cells, because to draw hundreds of cells again takes a frame. */
export interface GridMarks extends Pick<GridScene, "layout" | "layers" | "theme"> {
  chosen: number;
  hovered: number | null;
}

/** Numbers of heads and layers keep this distance. */
const MIN_LABEL_PX = 15;

export function drawGrid(pen: CanvasRenderingContext2D, scene: GridScene): void {
  const { layout, sheet, theme } = scene;
  const { size } = layout;
  pen.imageSmoothingEnabled = sheet !== null && (sheet.columns > size || sheet.rows > size);
  for (const { index, x, y } of layout.cells) {
    const color = scene.colorOf(index);
    if (sheet) pen.drawImage(sheet.image, 0, index * sheet.rows, sheet.columns, sheet.rows, x, y, size, size);
    else if (color !== null) {
      pen.fillStyle = cssColor(color);
      pen.fillRect(x, y, size, size);
    }
    outline(pen, x - 0.5, y - 0.5, size + 1, theme.axis, 1);
  }
  pen.fillStyle = theme.ink3;
  for (const { x, y, width } of layout.groups) pen.fillRect(x, y, width, 1);
}

/** Draws the numbers of layers and heads, and the outlines of the chosen head and the one under the pointer. */
export function drawMarks(pen: CanvasRenderingContext2D, marks: GridMarks): void {
  const { layout, theme } = marks;
  const { size } = layout;
  drawNumbers(pen, marks);
  for (const { index, x, y } of layout.cells) {
    if (index === marks.hovered) outline(pen, x - 1, y - 1, size + 2, theme.ink, 1);
    if (index !== marks.chosen) continue;
    outline(pen, x - 1, y - 1, size + 2, theme.surface, 2);
    outline(pen, x - 2.5, y - 2.5, size + 5, theme.accent, 2);
  }
}

function drawNumbers(pen: CanvasRenderingContext2D, { layout, layers, chosen, theme }: GridMarks): void {
  const { cells, size, left, top } = layout;
  const at = cells.find(({ index }) => index === chosen);
  const style = (isChosen: boolean, align: CanvasTextAlign) => ({
    font: isChosen ? `600 ${tickFont(theme)}` : tickFont(theme),
    color: isChosen ? theme.ink : theme.ink3,
    align,
  });
  if (!left) {
    for (const { index, layer, head, x, y } of cells) {
      const name = `${layers[layer]!.layer}.${layers[layer]!.heads[head]}`;
      drawText(pen, name, x + size / 2, y + size + 8, style(index === chosen, "center"));
    }
    return;
  }
  const every = Math.max(1, Math.ceil(MIN_LABEL_PX / (size + 3)));
  const widest = layers.reduce((best, layer) => (layer.heads.length > best.heads.length ? layer : best));
  const row = layers.indexOf(widest);
  for (const { layer, head, x, y } of cells) {
    const isShown = (position: number, of?: number): boolean => position === of || position % every === 0;
    if (layer === row && isShown(head, at?.head))
      drawText(pen, String(widest.heads[head]), x + size / 2, top - 11, style(head === at?.head, "center"));
    if (head === 0 && isShown(layer, at?.layer))
      drawText(pen, String(layers[layer]!.layer), left - 7, y + size / 2, style(layer === at?.layer, "right"));
  }
}

function outline(
  pen: CanvasRenderingContext2D,
  x: number,
  y: number,
  size: number,
  color: string,
  width: number,
): void {
  pen.strokeStyle = color;
  pen.lineWidth = width;
  pen.strokeRect(x, y, size, size);
}

function cssColor(pixel: number): string {
  const [r, g, b] = new Uint8Array(Uint32Array.of(pixel).buffer);
  return `rgb(${r} ${g} ${b})`;
}
