/* One picture of a mesh: what is drawn, from where, and how. On screen and as PNG. */
import type { Pen } from "../../charts/pen";
import { drawAxesCross } from "../../charts/orbit";
import { paintRaster, pixelOf } from "../../charts/raster";
import type { Theme } from "../../charts/theme";
import type { Mesh } from "./meshes";
import { Renderer, type Style } from "./render";
import { type Bounds, projectionOf, type Viewpoint } from "./viewpoint";

export interface Picture {
  mesh: Mesh;
  bounds: Bounds;
  viewpoint: Viewpoint;
  mode: Style["mode"];
  pointSize: number;
  hasBox: boolean;
  /** Color of vertices without one. */
  color: string;
}

const AXES_PX = 40;

/** Draws a picture. Returns false if a part was left out, because it takes too long. */
export function drawPicture(
  pen: Pen,
  picture: Picture,
  renderer: Renderer,
  canvas: HTMLCanvasElement,
  { width, height, ratio, theme }: { width: number; height: number; ratio: number; theme: Theme },
): boolean {
  const { mesh, bounds, viewpoint } = picture;
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  const projection = projectionOf(viewpoint, bounds, mesh.head.scene, across, down);
  const style: Style = {
    mode: picture.mode,
    pointSize: picture.pointSize * ratio,
    color: pixelOf(mesh.head.scene.color ?? picture.color),
    background: pixelOf(theme.surface),
    boxColor: pixelOf(theme.axis),
    box: picture.hasBox ? bounds : null,
    lights: mesh.head.scene.lights,
  };
  let isComplete = true;
  paintRaster(across, down, (pixels) => (isComplete = renderer.draw(pixels, mesh, projection, style)), canvas);
  pen.drawImage(canvas, 0, 0, width, height);
  drawAxesCross(pen, viewpoint, [width - AXES_PX, AXES_PX], theme);
  return isComplete;
}
