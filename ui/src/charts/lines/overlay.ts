/** Everything above a line chart that follows the pointer: crosshair, pinned step, their dots, and the band of a drag. */
import { drawCrosshair, drawCrosshairFlag, drawPinnedFlag, drawPinnedStep } from "../crosshair";
import type { Pen } from "../pen";
import { crisp, drawDot } from "../shapes";
import { drawZoomBand, type ZoomBand } from "../zoomBand";
import { heightAt } from "./nearest";
import { isVisibleX, isVisibleY, type LineScene, sceneOf } from "./scene";

export interface OverlayState {
  /** Crosshair, in units of x. */
  cross: number | null;
  /** The pointer is on this chart. */
  hot: boolean;
  /** Pinned step. */
  pinned: number | null;
  emphasized: string | null;
  /** Band of a drag that has not ended. */
  band: ZoomBand | null;
}

export const EMPTY_OVERLAY: OverlayState = { cross: null, hot: false, pinned: null, emphasized: null, band: null };

export function drawOverlay(pen: Pen, scene: LineScene, state: OverlayState): void {
  const { frame, theme } = scene;
  const { band, pinned, cross, hot, emphasized } = state;
  if (band) drawZoomBand(pen, frame, band, theme);
  if (pinned !== null && isVisibleX(frame, pinned)) {
    drawPinnedStep(pen, frame, pinned, theme);
    drawDots(pen, scene, pinned, emphasized);
    drawPinnedFlag(pen, frame, pinned, theme);
  }
  if (cross !== null && isVisibleX(frame, cross)) {
    drawCrosshair(pen, frame, cross, hot, theme);
    drawDots(pen, scene, cross, emphasized);
    if (hot) drawCrosshairFlag(pen, frame, cross, theme);
  }
}

/** Draws a dot on each line at x, the emphasized run last. */
function drawDots(pen: Pen, scene: LineScene, x: number, emphasized: string | null): void {
  const { data, frame, look, theme } = scene;
  const at = crisp(frame.px(x));
  const order = [...data.lines].sort((a, b) => Number(a.run === emphasized) - Number(b.run === emphasized));
  for (const line of order) {
    if (line.attempt) continue;
    const y = sceneOf(scene, line).frame.py(heightAt(data.x, line.smooth, x));
    if (isVisibleY(frame, y)) drawDot(pen, at, y, line.run === emphasized ? 4 : 3, look(line).color, theme.surface);
  }
}
