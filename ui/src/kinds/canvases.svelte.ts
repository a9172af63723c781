/* Canvases of a plot, one above the other. Each is drawn again when what it shows changes. */
import type { Pen } from "../charts/pen";
import { attachPointer, type PointerHandlers } from "../charts/pointer";
import { Surface } from "../charts/surface";

/** Returns what draws a canvas, or null to leave it empty. It is called in an effect: the canvas follows the state that it reads. */
export type Content = () => ((pen: Pen) => void) | null;

/** Fills the host with a canvas for each content, the lowest first. Returns a function that removes them. Call it in an attachment. */
export function attachCanvases(host: HTMLElement, contents: Content[], pointer: PointerHandlers): () => void {
  const surfaces = contents.map((content) => new Surface(host, (pen) => content()?.(pen)));
  const input = attachPointer(host, pointer);
  contents.forEach((content, i) => {
    $effect(() => {
      content();
      surfaces[i]!.redraw(true);
    });
  });
  return () => {
    input.detach();
    for (const surface of surfaces) surface.destroy();
  };
}
