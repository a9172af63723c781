/** Marks on the edges of a chart: values that cannot be drawn or are outside the range of y, restarts, and findings. */
import { drawLabel } from "../drawLabel";
import type { Frame } from "../frame";
import type { Pen } from "../pen";
import type { Theme } from "../theme";
import { drawFindings } from "./findings";
import { hiddenExtremes, nonPositiveValues } from "./hiddenValues";
import { isVisibleX, type LineScene } from "./scene";

/** Pixels that a label beside a mark takes. */
const LABEL_PX = 40;
/** Pixels from one mark to the next. */
const MARK_PX = 9;

/** The edge by which a value left the chart. */
export type Edge = "top" | "bottom";

export interface EdgeMark {
  x: number;
  edge: Edge;
  shape: "cross" | "triangle" | "outline";
  color: string;
  /** Empty for a mark without a label. */
  label: string;
}

const LOGGED = {
  nan: { label: "NaN", edge: "bottom", shape: "cross" },
  inf: { label: "+Inf", edge: "top", shape: "triangle" },
  "-inf": { label: "−Inf", edge: "bottom", shape: "triangle" },
} as const;

/** Draws a mark for each value that cannot be drawn, on the edge it left by, and a tick for each restart. */
export function drawMarks(pen: Pen, scene: LineScene): void {
  const { frame, theme } = scene;
  const marks = withoutOverlaps([...loggedMarks(scene), ...nonPositiveValues(scene), ...hiddenExtremes(scene)], frame);
  for (const mark of marks) {
    if (mark.shape === "cross") drawCross(pen, frame, theme, mark);
    else drawTriangle(pen, frame, theme, mark);
  }
  const at = (edge: Edge): PlacedMark[] => marks.filter((mark) => mark.edge === edge);
  labelMarks(pen, scene, at("top"), { y: frame.box.top + 1, space: LABEL_PX });
  labelMarks(pen, scene, at("bottom"), { y: frame.box.bottom - 10, space: 0 });
  drawRestarts(pen, scene, at("top").at(-1)?.px ?? -Infinity);
  drawFindings(pen, scene);
}

/** Returns the logged values that are not finite. */
function loggedMarks({ data, look, roomy }: LineScene): EdgeMark[] {
  return data.lines.flatMap((line) =>
    line.marks.map(({ x, step, what }) => {
      const { label, ...kind } = LOGGED[what];
      return { ...kind, x, color: look(line).color, label: roomy ? `${label} from step ${step}` : label };
    }),
  );
}

interface PlacedMark extends EdgeMark {
  px: number;
}

/** Leaves out marks that would overlap one of the same kind: an hour of NaN is a row of crosses, not ten thousand. */
function withoutOverlaps(marks: EdgeMark[], frame: Frame): PlacedMark[] {
  const placed = new Map<string, PlacedMark>();
  for (const mark of marks) {
    if (!isVisibleX(frame, mark.x)) continue;
    const px = frame.px(mark.x);
    const slot = `${mark.edge}${mark.shape}${Math.round(px / MARK_PX)}`;
    if (!placed.get(slot)?.label) placed.set(slot, { ...mark, px });
  }
  return [...placed.values()].sort((a, b) => a.px - b.px);
}

/** Labels the first of adjacent marks. `space` is the number of free pixels a label needs before the next mark. */
function labelMarks(
  pen: Pen,
  { frame, theme }: LineScene,
  marks: PlacedMark[],
  { y, space }: { y: number; space: number },
): void {
  marks.forEach(({ px, label }, i) => {
    const [before, after] = [marks[i - 1]?.px ?? -Infinity, marks[i + 1]?.px ?? Infinity];
    if (!label || px - before < LABEL_PX || after - px < space || px > frame.box.right - LABEL_PX) return;
    drawLabel(pen, label, px + 9, y, theme);
  });
}

function drawCross(pen: Pen, { box }: Frame, theme: Theme, { px, color }: PlacedMark): void {
  const y = box.bottom;
  for (const [style, size, width] of [
    [theme.surface, 4, 4.5],
    [color, 3.5, 2],
  ] as const) {
    pen.strokeStyle = style;
    pen.lineWidth = width;
    pen.beginPath();
    pen.moveTo(px - size, y - size);
    pen.lineTo(px + size, y + size);
    pen.moveTo(px + size, y - size);
    pen.lineTo(px - size, y + size);
    pen.stroke();
  }
}

/** Draws a triangle that points out of the box. It is filled for an infinite value, and an outline for a finite one. */
function drawTriangle(pen: Pen, { box }: Frame, theme: Theme, { px, edge, shape, color }: PlacedMark): void {
  const tip = edge === "top" ? box.top - 5 : box.bottom + 5;
  const base = edge === "top" ? tip + 8 : tip - 8;
  const isOutline = shape === "outline";
  pen.beginPath();
  pen.moveTo(px, tip);
  pen.lineTo(px + 5, base);
  pen.lineTo(px - 5, base);
  pen.closePath();
  pen.strokeStyle = isOutline ? color : theme.surface;
  pen.lineWidth = isOutline ? 1.5 : 2;
  pen.fillStyle = isOutline ? theme.surface : color;
  if (isOutline) pen.fill();
  pen.stroke();
  if (!isOutline) pen.fill();
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
