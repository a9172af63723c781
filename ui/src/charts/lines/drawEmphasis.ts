/** The lines of the emphasized run, above the others. Not in drawLines.ts, because the first load does not need them. */
import type { Pen } from "../pen";
import { hasEnvelopes, LINE_PX } from "./drawLines";
import { fillEnvelope } from "./envelope";
import { clipToBox, type LineScene, sceneOf, visibleRange } from "./scene";
import { strokeSpikes } from "./spikes";
import { strokeColumn, strokeLine } from "./strokes";

const EMPHASIZED_PX = 2.25;
const CASING = { px: 5, alpha: 0.85 };
/** With more lines than this, the others fade while one run is emphasized. */
const CROWD = 12;

/** Draws the lines of one run above the others. Leaves the chart below untouched, so that pointing at runs is fast. */
export function drawEmphasis(pen: Pen, scene: LineScene, run: string): void {
  const { data, frame, theme } = scene;
  const lines = data.lines.filter((line) => line.run === run && !line.attempt);
  if (!lines.length) return;
  const range = visibleRange(data, frame);
  const fades = data.lines.length > CROWD;
  pen.save();
  if (fades) fadeOthers(pen, scene);
  clipToBox(pen, frame);
  pen.lineJoin = "round";
  for (const line of lines) {
    const own = sceneOf(scene, line);
    pen.globalAlpha = theme.envelopeAlpha;
    if (line.lo && (fades || !hasEnvelopes(scene, data.lines.length))) fillEnvelope(pen, own, line, range);
    pen.globalAlpha = CASING.alpha;
    strokeColumn(pen, own, line, line.smooth, range, { color: theme.surface, width: CASING.px, edgesOnly: true });
    pen.globalAlpha = 1;
    strokeLine(pen, own, line, range, EMPHASIZED_PX);
    strokeSpikes(pen, own, line, range, LINE_PX);
  }
  pen.restore();
}

/** Covers the chart with the surface color, including the marks on its edges. */
function fadeOthers(pen: Pen, { frame: { box }, theme }: LineScene): void {
  pen.globalAlpha = 1 - theme.dimAlpha;
  pen.fillStyle = theme.surface;
  pen.fillRect(box.left - 6, box.top - 7, box.right - box.left + 12, box.bottom - box.top + 14);
}
