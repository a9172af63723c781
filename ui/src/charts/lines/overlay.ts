/** What passes over a chart: crosshair, its dots and flag, the step cursor, the band of a drag. */
import { heightAt } from "./data";
import { dot, type Scene } from "./draw";
import type { Frame } from "../frame";
import type { Pen } from "../pen";
import type { Theme } from "../theme";
import { xLabel } from "../ticks";

export interface Band {
  axis: "x" | "y";
  from: number;
  to: number;
}

export interface OverlayState {
  /** The crosshair, in units of x. */
  cross: number | null;
  /** The pointer is on this very card. */
  hot: boolean;
  /** The step cursor. */
  pinned: number | null;
  /** The run that stands out. */
  emphasized: string | null;
  /** A drag that has not ended, in pixels. */
  band: Band | null;
}

export const NOTHING_OVER: OverlayState = { cross: null, hot: false, pinned: null, emphasized: null, band: null };

export function drawOverlay(pen: Pen, scene: Scene, state: OverlayState): void {
  const { frame, theme } = scene;
  if (state.band) drawBand(pen, frame, state.band, theme);
  if (state.pinned !== null && inside(frame, state.pinned)) {
    drawUpright(pen, frame, state.pinned, theme.accent, 1.5, []);
    drawDots(pen, scene, state.pinned, state.emphasized);
    drawStepFlag(pen, frame, state.pinned, theme);
  }
  if (state.cross !== null && inside(frame, state.cross)) {
    pen.globalAlpha = state.hot ? 1 : 0.7;
    drawUpright(pen, frame, state.cross, theme.ink3, 1, state.hot ? [] : [2, 2]);
    pen.globalAlpha = 1;
    drawDots(pen, scene, state.cross, state.emphasized);
    if (state.hot) drawFlag(pen, frame, state.cross, theme.ink, theme.surface, theme);
  }
}

const inside = (frame: Frame, x: number): boolean => x >= frame.x.lo && x <= frame.x.hi;

function drawUpright(pen: Pen, frame: Frame, x: number, color: string, width: number, dash: number[]): void {
  const at = Math.round(frame.px(x)) + 0.5;
  pen.strokeStyle = color;
  pen.lineWidth = width;
  pen.setLineDash(dash);
  pen.beginPath();
  pen.moveTo(at, frame.box.top - 4);
  pen.lineTo(at, frame.box.bottom);
  pen.stroke();
  pen.setLineDash([]);
}

function drawDots(pen: Pen, { data, frame, look, theme }: Scene, x: number, emphasized: string | null): void {
  const at = Math.round(frame.px(x)) + 0.5;
  const order = [...data.lines].sort((a, b) => Number(a.run === emphasized) - Number(b.run === emphasized));
  for (const line of order) {
    if (line.attempt) continue;
    const y = frame.py(heightAt(data.x, line.smooth, x));
    if (y >= frame.box.top - 4 && y <= frame.box.bottom)
      dot(pen, at, y, line.run === emphasized ? 4 : 3, look(line).color, theme.surface);
  }
}

/** The center of a flag, kept within the chart. */
function flagCenter(frame: Frame, x: number, width: number): number {
  return Math.min(Math.max(frame.px(x), width / 2 + 2), frame.width - width / 2 - 2);
}

function drawFlag(pen: Pen, frame: Frame, x: number, ground: string, ink: string, theme: Theme): void {
  const text = xLabel(frame.xKind, x, frame.x.hi - frame.x.lo);
  const width = text.length * 6.4 + 12;
  const center = flagCenter(frame, x, width);
  roundedBox(pen, center - width / 2, frame.box.bottom + 3, width, 18, ground);
  flagText(pen, text, center, frame.box.bottom + 12.5, ink, 500, theme);
}

/** The flag of the step cursor: with a point at the axis and arrows, because it can be dragged. */
function drawStepFlag(pen: Pen, frame: Frame, x: number, theme: Theme): void {
  const text = xLabel(frame.xKind, x, frame.x.hi - frame.x.lo);
  const width = text.length * 6.4 + 32;
  const center = flagCenter(frame, x, width);
  const tip = Math.round(frame.px(x)) + 0.5;
  const top = frame.box.bottom;
  pen.fillStyle = theme.accent;
  pen.beginPath();
  pen.moveTo(tip, top);
  pen.lineTo(tip + 6, top + 6);
  pen.lineTo(tip - 6, top + 6);
  pen.closePath();
  pen.fill();
  roundedBox(pen, center - width / 2, top + 5, width, 17, theme.accent);
  flagText(pen, text, center, top + 13.5, theme.accentInk, 600, theme);
  pen.strokeStyle = theme.accentInk;
  pen.lineWidth = 1.4;
  for (const side of [-1, 1]) {
    const edge = center + side * (width / 2 - 8);
    pen.beginPath();
    pen.moveTo(edge, top + 10.5);
    pen.lineTo(edge + side * 3, top + 13.5);
    pen.lineTo(edge, top + 16.5);
    pen.stroke();
  }
}

function roundedBox(pen: Pen, x: number, y: number, width: number, height: number, color: string): void {
  pen.fillStyle = color;
  pen.strokeStyle = color;
  pen.lineJoin = "round";
  pen.lineWidth = 4;
  pen.beginPath();
  pen.rect(x + 2, y + 2, width - 4, height - 4);
  pen.stroke();
  pen.fill();
}

function flagText(pen: Pen, text: string, x: number, y: number, ink: string, weight: number, theme: Theme): void {
  pen.font = `${weight} 11px ${theme.font}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillStyle = ink;
  pen.fillText(text, x, y);
}

function drawBand(pen: Pen, { box }: Frame, band: Band, theme: Theme): void {
  const from = Math.min(band.from, band.to);
  const length = Math.abs(band.to - band.from);
  const area: [number, number, number, number] =
    band.axis === "x"
      ? [from, box.top - 4, length, box.bottom - box.top + 4]
      : [box.left, from, box.right - box.left, length];
  pen.fillStyle = theme.accent;
  pen.globalAlpha = 0.1;
  pen.fillRect(...area);
  pen.globalAlpha = 1;
  pen.strokeStyle = theme.accent;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.rect(area[0] + 0.5, area[1] + 0.5, Math.max(0, area[2] - 1), Math.max(0, area[3] - 1));
  pen.stroke();
}

/** Whether a place of the chart, in pixels, is on the flag of the step cursor. */
export function onStepFlag(frame: Frame, pinned: number | null, x: number, y: number): boolean {
  if (pinned === null || !inside(frame, pinned)) return false;
  const text = xLabel(frame.xKind, pinned, frame.x.hi - frame.x.lo);
  const width = text.length * 6.4 + 32;
  return y > frame.box.bottom - 2 && Math.abs(x - flagCenter(frame, pinned, width)) <= width / 2 + 2;
}
