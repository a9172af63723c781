/** Marks of the best point of each line: a ring, with its value if the lines are few. */
import { number } from "../../base/format";
import { drawLabel } from "../drawLabel";
import type { Pen } from "../pen";
import { CHAR_PX } from "../shapes";
import { digitsOn } from "../valueDigits";
import type { Line } from "./data";
import { isVisibleX, isVisibleY, type LineScene, sceneOf } from "./scene";

const RADIUS = 4.5;
/** With more lines, values would hide each other. */
const MAX_LABELS = 3;
const GAP = 8;
const ROW_PX = 14;

export interface BestMark {
  px: number;
  py: number;
  color: string;
  text: string;
}

/** Draws a ring at the best point of each line. A line of a single point needs none. */
export function drawBest(pen: Pen, scene: LineScene): void {
  const marks = scene.moving ? [] : bestMarks(scene);
  for (const mark of marks) drawRing(pen, scene, mark);
  if (marks.length <= MAX_LABELS) drawLabels(pen, scene, marks);
}

export function bestMarks(scene: LineScene): BestMark[] {
  return scene.data.lines
    .filter((line) => line.best && line.points > 1)
    .map((line) => markOf(scene, line))
    .filter((mark) => mark !== null);
}

function markOf(scene: LineScene, line: Line): BestMark | null {
  const { frame } = sceneOf(scene, line);
  const { x, value } = line.best!;
  const [px, py] = [frame.px(x), frame.py(value)];
  if (!isVisibleX(frame, x) || !isVisibleY(frame, py)) return null;
  return { px, py, color: scene.look(line).color, text: number(value, digitsOn(frame.y, value)) };
}

function drawRing(pen: Pen, { theme }: LineScene, { px, py, color }: BestMark): void {
  for (const [style, width] of [
    [theme.surface, 4.5],
    [color, 2],
  ] as const) {
    pen.strokeStyle = style;
    pen.lineWidth = width;
    pen.beginPath();
    pen.arc(px, py, RADIUS, 0, 2 * Math.PI);
    pen.stroke();
  }
}

/** Values that would cover another one are left out. */
function drawLabels(pen: Pen, { frame, theme }: LineScene, marks: BestMark[]): void {
  const placed: { x: number; y: number; width: number }[] = [];
  for (const { px, py, text } of marks) {
    const width = text.length * CHAR_PX;
    const x = px + GAP + width > frame.box.right ? px - GAP - width : px + GAP;
    const covers = placed.some(
      (other) => Math.abs(other.y - py) < ROW_PX && x < other.x + other.width && other.x < x + width,
    );
    if (covers) continue;
    placed.push({ x, y: py, width });
    drawLabel(pen, text, x, py, theme);
  }
}
