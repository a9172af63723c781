/** Findings on a chart: a line at the step where each starts, with a sign of its severity at the top edge. */
import { drawLabel } from "../drawLabel";
import type { Pen } from "../pen";
import { crisp, tracePoints } from "../shapes";
import { type FindingMark, isVisibleX, type LineScene } from "./scene";

/** Pixels from one mark to the next. */
const MARK_PX = 12;
const RADIUS = 5.5;
const LINE_ALPHA = 0.45;
const ORDER = ["error", "warning", "note"];

/** Number and angle of the corners: an octagon, a triangle, and many corners for a circle. */
const CORNERS = { error: [8, Math.PI / 8], warning: [3, 0], note: [24, 0] } as const;

export function drawFindings(pen: Pen, scene: LineScene): void {
  const { frame, theme } = scene;
  const y = frame.box.top + 1;
  for (const { mark, px, space } of placed(scene)) {
    pen.globalAlpha = LINE_ALPHA;
    pen.fillStyle = mark.color;
    pen.fillRect(Math.round(px), frame.box.top, 1, frame.box.bottom - frame.box.top);
    pen.globalAlpha = 1;
    drawSign(pen, crisp(px), y, mark, theme.surface);
    // Images have no tooltip.
    if ((scene.roomy || scene.vector) && space > mark.label.length * 7 + 12)
      drawLabel(pen, mark.label, px + 12, y, theme);
  }
}

/** Returns the marks in the box from left to right, with the pixels to the next one. Of marks that overlap, the most severe is drawn. */
function placed({ findings = [], frame }: LineScene): { mark: FindingMark; px: number; space: number }[] {
  const kept: { mark: FindingMark; px: number }[] = [];
  for (const mark of [...findings].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity))) {
    const px = frame.px(mark.x);
    if (isVisibleX(frame, mark.x) && kept.every((other) => Math.abs(other.px - px) >= MARK_PX)) kept.push({ mark, px });
  }
  kept.sort((a, b) => a.px - b.px);
  return kept.map((one, i) => ({ ...one, space: (kept[i + 1]?.px ?? frame.box.right) - one.px }));
}

function drawSign(pen: Pen, x: number, y: number, { severity, color }: FindingMark, surface: string): void {
  const [corners, turn] = CORNERS[severity];
  const radius = severity === "warning" ? RADIUS + 1 : RADIUS;
  tracePoints(
    pen,
    Array.from({ length: corners }, (_, i) => {
      const angle = turn - Math.PI / 2 + (2 * Math.PI * i) / corners;
      return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)] as const;
    }),
  );
  pen.closePath();
  pen.strokeStyle = surface;
  pen.lineWidth = 2;
  pen.stroke();
  pen.fillStyle = color;
  pen.fill();
  pen.fillStyle = surface;
  const [bar, dot] = severity === "note" ? [-0.5, -3] : [-3, 2];
  pen.fillRect(x - 0.75, y + bar, 1.5, 3.5);
  pen.fillRect(x - 0.75, y + dot, 1.5, 1.5);
}
