/* Downloads of a mesh: the picture on screen as PNG, and the mesh as a PLY file, which the server writes. */
import { board } from "../../app/board.svelte";
import { plainName, save, saveFrom } from "../../base/save";
import { drawNote, drawTitle, makeImage, PNG_SCALE, type Size } from "../../charts/exportImage";
import type { Theme } from "../../charts/theme";
import { toasts } from "../../widgets/toasts.svelte";
import type { Cell } from "./model.svelte";
import { Renderer } from "./render";
import { drawPicture, type Picture } from "./scene";

const TITLE_PX = 60;

export async function savePicture({ run, query }: Cell, picture: Picture, shown: Size, theme: Theme): Promise<void> {
  const { width, height } = shown;
  const size = { width, height: height + TITLE_PX };
  const name = `${fileName(query)}.png`;
  try {
    const image = await makeImage("PNG", size, (pen) => {
      drawTitle(pen, theme, size, `${query.tag}, step ${picture.mesh.head.step}`);
      drawNote(pen, theme, board.label(run));
      pen.translate(0, TITLE_PX);
      const canvas = document.createElement("canvas");
      drawPicture(pen, picture, new Renderer(), canvas, { width, height, ratio: PNG_SCALE, theme });
    });
    save(image, name);
    toasts.show({ icon: "check", text: `Saved ${name}` });
  } catch (reason) {
    toasts.fail(`Could not create ${name}`, reason);
  }
}

export function savePly({ query }: Cell): void {
  const { run, tag, step, sample } = query;
  const place = { run, tag, step: String(step), sample: String(sample) };
  saveFrom(`api/meshes/ply?${new URLSearchParams(place)}`, `${fileName(query)}.ply`);
}

const fileName = ({ tag, step, sample }: Cell["query"]): string => plainName(`${tag}-${step}-${sample}`);
