/** Marks on the edges of a chart: values that cannot be drawn, and restarts. */
import type { Frame } from "../frame";
import type { Pen } from "../pen";
import { drawLabel } from "../shapes";
import type { Theme } from "../theme";
import type { Mark } from "./data";
import { isVisibleX, type LineScene } from "./scene";

/** Pixels that a label beside a mark takes. */
const LABEL_PX = 40;
/** Pixels from one mark to the next. */
const MARK_PX = 9;

interface MarkKind {
  label: string;
  /** The edge by which the value left the chart. */
  edge: "top" | "bottom";
  draw(pen: Pen, frame: Frame, theme: Theme, x: number, color: string): void;
}

const KINDS: Record<Mark["what"], MarkKind> = {
  nan: { label: "NaN", edge: "bottom", draw: drawCross },
  inf: { label: "+Inf", edge: "top", draw: (...to) => drawTriangle("top", ...to) },
  "-inf": { label: "−Inf", edge: "bottom", draw: (...to) => drawTriangle("bottom", ...to) },
};

/** Draws a mark for each value that is not finite, on the edge it left by, and a tick for each restart. */
export function drawMarks(pen: Pen, scene: LineScene): void {
  const { frame, theme } = scene;
  const marks = placeMarks(scene);
  for (const { x, mark, color } of marks) KINDS[mark.what].draw(pen, frame, theme, x, color);
  const at = (edge: MarkKind["edge"]): PlacedMark[] => marks.filter(({ mark }) => KINDS[mark.what].edge === edge);
  labelMarks(pen, scene, at("top"), { y: frame.box.top + 1, space: LABEL_PX });
  labelMarks(pen, scene, at("bottom"), { y: frame.box.bottom - 10, space: 0 });
  drawRestarts(pen, scene, at("top").at(-1)?.x ?? -Infinity);
}

interface PlacedMark {
  x: number;
  mark: Mark;
  color: string;
}

/** Leaves out marks of a kind that would overlap: an hour of NaN is a row of crosses, not ten thousand. */
function placeMarks({ data, frame, look }: LineScene): PlacedMark[] {
  const seen = new Set<string>();
  const placed: PlacedMark[] = [];
  for (const line of data.lines) {
    for (const mark of line.marks) {
      if (!isVisibleX(frame, mark.x)) continue;
      const x = frame.px(mark.x);
      const slot = `${mark.what}${Math.round(x / MARK_PX)}`;
      if (seen.has(slot)) continue;
      seen.add(slot);
      placed.push({ x, mark, color: look(line).color });
    }
  }
  return placed.sort((a, b) => a.x - b.x);
}

/** Labels the first of adjacent marks. `space` is the number of free pixels a label needs before the next mark. */
function labelMarks(
  pen: Pen,
  { frame, roomy, theme }: LineScene,
  marks: PlacedMark[],
  { y, space }: { y: number; space: number },
): void {
  marks.forEach(({ x, mark }, i) => {
    const [before, after] = [marks[i - 1]?.x ?? -Infinity, marks[i + 1]?.x ?? Infinity];
    if (x - before < LABEL_PX || after - x < space || x > frame.box.right - LABEL_PX) return;
    const { label } = KINDS[mark.what];
    drawLabel(pen, roomy ? `${label} from step ${mark.step}` : label, x + 9, y, theme);
  });
}

function drawCross(pen: Pen, { box }: Frame, theme: Theme, x: number, color: string): void {
  const y = box.bottom;
  for (const [style, size, width] of [
    [theme.surface, 4, 4.5],
    [color, 3.5, 2],
  ] as const) {
    pen.strokeStyle = style;
    pen.lineWidth = width;
    pen.beginPath();
    pen.moveTo(x - size, y - size);
    pen.lineTo(x + size, y + size);
    pen.moveTo(x + size, y - size);
    pen.lineTo(x - size, y + size);
    pen.stroke();
  }
}

/** Draws a triangle that points out of the box. */
function drawTriangle(edge: MarkKind["edge"], pen: Pen, { box }: Frame, theme: Theme, x: number, color: string): void {
  const tip = edge === "top" ? box.top - 5 : box.bottom + 5;
  const base = edge === "top" ? tip + 8 : tip - 8;
  pen.beginPath();
  pen.moveTo(x, tip);
  pen.lineTo(x + 5, base);
  pen.lineTo(x - 5, base);
  pen.closePath();
  pen.strokeStyle = theme.surface;
  pen.lineWidth = 2;
  pen.stroke();
  pen.fillStyle = color;
  pen.fill();
}

/** `labeled` is the x of the last label at the top edge. */
function drawRestarts(pen: Pen, { data, frame, look, theme }: LineScene, labeled: number): void {
  const restarts = data.lines
    .flatMap((line) => line.restarts.map((x) => [x, look(line).color] as const))
    .sort((a, b) => a[0] - b[0]);
  for (const [x, color] of restarts) {
    if (!isVisibleX(frame, x)) continue;
    const at = Math.round(frame.px(x));
    pen.fillStyle = color;
    pen.fillRect(at - 1, frame.box.top - 4, 2, 12);
    if (Math.abs(at - labeled) < 56 || at > frame.box.right - 44) continue;
    labeled = at;
    drawLabel(pen, "restart", at + 6, frame.box.top + 2, theme);
  }
}
