/** Lines of a chart with their envelopes, raw values and spikes. */
import type { Pen } from "../pen";
import { fillEnvelope } from "./envelope";
import { details } from "./lazyDetails";
import { type LineScene, sceneOf, visibleRange } from "./scene";
import { strokeSpikes } from "./spikes";
import { strokeColumn, strokeLine } from "./strokes";

export const LINE_PX = 1.5;
/** Many lines are easier to tell apart, and faster to draw, if they are thin. */
const THIN_PX = 1;
const THIN_FROM = 24;
const RAW_PX = 1;
/** With more lines than this, only an emphasized line has an envelope. */
const MAX_ENVELOPES = 24;

/** `plain` leaves out envelopes and raw lines, for small or short-lived drawings. */
export function drawLines(pen: Pen, scene: LineScene, { plain = false } = {}): void {
  const { data, theme } = scene;
  const range = visibleRange(data, scene.frame);
  const shown = data.lines.filter((line) => !line.attempt);
  const alpha = crowdAlpha(shown.length);
  pen.lineJoin = "round";
  pen.lineCap = "butt";
  if (data.members && !plain) details()?.drawMembers(pen, scene);
  if (!plain && hasEnvelopes(scene, shown.length)) {
    pen.globalAlpha = theme.envelopeAlpha * alpha;
    for (const line of shown) {
      if (line.group) details()?.fillBand(pen, sceneOf(scene, line), line, range, theme.envelopeAlpha * alpha);
      else if (line.lo) fillEnvelope(pen, sceneOf(scene, line), line, range);
    }
  }
  pen.globalAlpha = theme.rawAlpha * alpha;
  for (const line of plain ? [] : shown)
    if (!line.lo && line.raw !== line.smooth)
      strokeColumn(pen, sceneOf(scene, line), line, line.raw, range, { color: scene.look(line).color, width: RAW_PX });
  pen.globalAlpha = 1;
  const width = plain || shown.length >= THIN_FROM ? THIN_PX : LINE_PX;
  for (const line of data.lines) strokeLine(pen, sceneOf(scene, line), line, range, width);
  for (const line of shown) strokeSpikes(pen, sceneOf(scene, line), line, range, width);
}

export function hasEnvelopes(scene: LineScene, lines: number): boolean {
  return lines <= MAX_ENVELOPES && (scene.envelopes === "all" || lines === 1);
}

/** Forty envelopes at full opacity would hide each other. */
const crowdAlpha = (lines: number): number => (lines <= 6 ? 1 : Math.max(0.25, 6 / lines));
