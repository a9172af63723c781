/* Downloads of the picture as PNG or SVG. */
import { plainName, save } from "../../base/save";
import { drawNote, drawTitle, type ImageFormat, makeImage } from "../../charts/exportImage";
import type { Theme } from "../../charts/theme";
import { toasts } from "../../widgets/toasts.svelte";
import { amount } from "./boxText";
import { drawGraph, type GraphScene } from "./drawGraph";
import type { GraphModel } from "./model.svelte";

const TITLE_PX = 60;
const MARGIN = 20;
/** Browsers make no larger canvas. */
const MAX_PNG_PX = 8000;

/** Saves all of the picture, not only what is on screen. */
export async function savePicture(
  { picture, graph }: GraphModel,
  scene: GraphScene,
  theme: Theme,
  format: ImageFormat,
): Promise<void> {
  if (!picture || !graph) return;
  const longest = Math.max(picture.width, picture.height) + 2 * MARGIN + TITLE_PX;
  const scale = format === "PNG" ? Math.min(1, MAX_PNG_PX / longest) : 1;
  const inner = { width: (picture.width + 2 * MARGIN) * scale, height: (picture.height + 2 * MARGIN) * scale };
  const size = { width: Math.max(360, Math.ceil(inner.width)), height: Math.ceil(inner.height) + TITLE_PX };
  const image = await makeImage(format, size, (pen) => {
    drawTitle(pen, theme, size, graph.title);
    drawNote(pen, theme, `${graph.ops} operations, ${amount(graph.parameters)} parameters`);
    pen.translate(0, TITLE_PX);
    const camera = { x: -MARGIN, y: -MARGIN, scale };
    drawGraph(pen, { ...scene, hovered: null, selected: null }, camera, { ...inner, theme });
  });
  const name = `${plainName(graph.title)}.${format.toLowerCase()}`;
  save(image, name);
  toasts.show({ icon: "check", text: `Saved ${name}` });
}
