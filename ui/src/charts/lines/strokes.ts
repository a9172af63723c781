/** Strokes of the lines of a chart. */
import type { Span } from "../box";
import type { Pen } from "../pen";
import { fillCircle, type Point } from "../shapes";
import type { Line } from "./data";
import type { LineScene } from "./scene";

/** A line through more points than this is drawn in hairlines. */
const DENSE = 100;
/** Finer than the dashes of runs. */
const ATTEMPT = { dash: [1, 3], width: 1.25 };
const LONE_RADIUS = 2.5;

/** Strokes the smoothed values of a line. */
export function strokeLine(pen: Pen, scene: LineScene, line: Line, range: Span, width: number): void {
  const { color, dash } = scene.look(line);
  pen.setLineDash(line.attempt ? ATTEMPT.dash : [...dash]);
  const lone = strokeColumn(pen, scene, line, line.smooth, range, {
    color,
    width: line.attempt ? ATTEMPT.width : width,
  });
  for (const [x, y] of lone) fillCircle(pen, x, y, LONE_RADIUS, color);
  pen.setLineDash([]);
}

export interface Stroke {
  color: string;
  width: number;
  /** Only the two outer hairlines, for a casing whose middle is covered. */
  edgesOnly?: boolean;
}

/** Strokes one column of a line. Returns the points that have no neighbor, which a stroke does not show.

    Without a GPU, a stroke of 1.5 px through a thousand points costs thirty times as much as one of a single device pixel.
    A dense line is therefore drawn as a few hairlines side by side, which look the same. */
export function strokeColumn(
  pen: Pen,
  scene: LineScene,
  line: Line,
  column: Float32Array,
  range: Span,
  { color, width, edgesOnly = false }: Stroke,
): Point[] {
  pen.strokeStyle = color;
  const ratio = globalThis.devicePixelRatio || 1;
  const hairs = scene.vector || range[1] - range[0] < DENSE ? 1 : edgesOnly ? 2 : Math.ceil(width * ratio);
  pen.lineWidth = hairs === 1 ? width : 1 / ratio;
  let lone: Point[] = [];
  for (let i = 0; i < hairs; i++) {
    const offset = hairs === 1 ? 0 : ((i / (hairs - 1)) * 2 - 1) * ((width - 1 / ratio) / 2) * Math.SQRT1_2;
    lone = traceColumn(pen, scene, line, column, range, offset);
    pen.stroke();
  }
  return lone;
}

/** Traces a column through its own points. A logged NaN, and another number of runs in a group, break the line. Returns the points without a neighbor. */
function traceColumn(
  pen: Pen,
  { frame, data }: LineScene,
  line: Line,
  column: Float32Array,
  [from, to]: Span,
  offset: number,
): Point[] {
  const { px, py } = frame;
  const lone: Point[] = [];
  const marks = line.group?.changes ?? line.marks;
  let nextMark = 0;
  let length = 0;
  let [lastX, lastY] = [0, 0];
  pen.beginPath();
  for (let i = from; i < to; i++) {
    const value = column[i]!;
    if (value !== value) continue;
    const at = data.x[i]!;
    let broken = length === 0;
    for (; nextMark < marks.length && marks[nextMark]!.x <= at; nextMark++) broken ||= i > from;
    const x = px(at) + offset;
    const y = clampPixel(py(value), frame.height) + offset;
    if (broken) {
      if (length === 1) lone.push([lastX, lastY]);
      length = 0;
      pen.moveTo(x, y);
    } else pen.lineTo(x, y);
    length++;
    lastX = x;
    lastY = y;
  }
  if (length === 1) lone.push([lastX, lastY]);
  return lone;
}

/** Limits a y coordinate: far outside the box a canvas loses precision, and zero has no place on a log axis. */
export function clampPixel(y: number, height: number): number {
  if (y !== y) return 4 * height;
  return y < -4 * height ? -4 * height : y > 4 * height ? 4 * height : y;
}
