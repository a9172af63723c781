/** Groups of runs: their bands, their members behind the lines, and marks where another number of runs is behind a line. */
import { drawLabel } from "../drawLabel";
import type { Pen } from "../pen";
import type { Span } from "../box";
import { lowerBound, type Line } from "./data";
import { drawDensity } from "./density";
import { fillEnvelope } from "./envelope";
import { isVisibleX, type LineScene, sceneOf, visibleRange } from "./scene";
import { strokeColumn } from "./strokes";

/** The band of fewer runs says little, and is fainter. */
const FEW_RUNS = 3;
const FEW_ALPHA = 0.55;
/** How much stronger members are than the raw lines of runs, so that they are visible in a band. */
const MEMBER_ALPHA = 0.06;
/** Pixels between the labels of two changes. */
const LABEL_EVERY_PX = 60;
/** Neighbors share a label. */
const NEAR_PX = 26;
const TICK = { width: 2, height: 12 };

/** Fills the band of a group, with a gap where the number of runs changes. */
export function fillBand(pen: Pen, scene: LineScene, line: Line, range: Span, alpha: number): void {
  const { x } = scene.data;
  const { n, changes } = line.group!;
  const cuts = changes.map((change) => lowerBound(x, change.x)).filter((cut) => cut > range[0] && cut < range[1]);
  [range[0], ...cuts].forEach((from, i) => {
    const to = cuts[i] ?? range[1];
    const at = n.subarray(from, to).find((count) => count === count) ?? 0;
    pen.globalAlpha = at < FEW_RUNS ? alpha * FEW_ALPHA : alpha;
    fillEnvelope(pen, scene, line, [from, to]);
  });
}

/** Draws the runs of the groups. They have a grid of their own. */
export function drawMembers(pen: Pen, scene: LineScene): void {
  const data = scene.data.members!;
  const own = { ...scene, data };
  const range = visibleRange(data, scene.frame);
  if (data.density) drawDensity(pen, data.density, scene.frame, scene.theme);
  pen.globalAlpha = scene.theme.rawAlpha + MEMBER_ALPHA;
  for (const line of data.lines)
    if (!line.attempt)
      strokeColumn(pen, sceneOf(own, line), line, line.smooth, range, { color: scene.look(line).color, width: 1 });
  pen.globalAlpha = 1;
}

/** Draws a tick at the top edge wherever the number of runs behind a line changes, with both numbers. */
export function drawChanges(pen: Pen, { data, frame, look, theme }: LineScene): void {
  const { box } = frame;
  let free = -Infinity;
  for (const line of data.lines.filter(({ group }) => group)) {
    const changes = line.group!.changes.filter(({ x }) => isVisibleX(frame, x));
    const { color } = look(line);
    for (const [i, { x }] of changes.entries()) {
      const at = Math.round(frame.px(x));
      pen.fillStyle = color;
      pen.fillRect(at - 1, box.top, TICK.width, TICK.height);
      const next = changes[i + 1];
      if (next && frame.px(next.x) - at < NEAR_PX) continue;
      // The first of its neighbors has the number before all of them.
      let first = i;
      while (first > 0 && frame.px(changes[first]!.x) - frame.px(changes[first - 1]!.x) < NEAR_PX) first -= 1;
      const label = `n ${changes[first]!.before} → ${changes[i]!.after}`;
      const px = at + 5 + LABEL_EVERY_PX > box.right ? frame.px(changes[first]!.x) - LABEL_EVERY_PX : at + 5;
      if (Math.abs(px - free) < LABEL_EVERY_PX + 10) continue;
      drawLabel(pen, label, px, box.top + 6, theme);
      free = px;
    }
  }
}
