/* Widths of texts, measured once each. */
import { chartTheme } from "../chartTheme.svelte";

const known = new Map<string, number>();
let pen: CanvasRenderingContext2D | null = null;

export function measureText(text: string, font: string): number {
  const key = `${font} ${text}`;
  const width = known.get(key);
  if (width !== undefined) return width;
  pen ??= document.createElement("canvas").getContext("2d")!;
  pen.font = `${font} ${chartTheme().font}`;
  const measured = pen.measureText(text).width;
  known.set(key, measured);
  return measured;
}
