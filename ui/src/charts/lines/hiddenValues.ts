/** Finite values that a chart cannot show: extremes outside the range of y, and values without a place on a log axis. */
import { compact } from "../tickLabels";
import type { Line } from "./data";
import type { Edge, EdgeMark } from "./marks";
import { isVisibleX, type LineScene, visibleRange } from "./scene";

/** Returns the values of a log axis that are zero or negative. */
export function nonPositiveValues(scene: LineScene): EdgeMark[] {
  const { data, frame, look } = scene;
  if (frame.y.kind !== "log") return [];
  const [from, to] = visibleRange(data, frame);
  const marks: EdgeMark[] = [];
  for (const line of shownLines(scene)) {
    const column = line.lo ?? line.raw;
    for (let i = from; i < to; i++) {
      const value = column[i]!;
      if (value > 0 || value !== value) continue;
      const label = value === 0 ? "0" : "≤ 0";
      marks.push({ x: data.x[i]!, edge: "bottom", shape: "outline", color: look(line).color, label });
    }
  }
  return marks;
}

/** Returns the maximum of each line above the range of y, and its minimum below. The most extreme of all has its value as label. */
export function hiddenExtremes(scene: LineScene): EdgeMark[] {
  if (!scene.automaticY) return [];
  return (["top", "bottom"] as const).flatMap((edge) => {
    const found = shownLines(scene)
      .map((line) => extremeBeyond(scene, line, edge))
      .filter((mark) => mark !== null)
      .sort((a, b) => (edge === "top" ? b.value - a.value : a.value - b.value));
    return found.map(({ value, ...mark }, i) => ({ ...mark, label: i === 0 ? compact(value) : "" }));
  });
}

function extremeBeyond(scene: LineScene, line: Line, edge: Edge): (EdgeMark & { value: number }) | null {
  const { data, frame, look } = scene;
  const column = (edge === "top" ? line.hi : line.lo) ?? line.raw;
  const index = extremeIndex(scene, column, edge);
  const value = column[index]!;
  if (index < 0 || (edge === "top" ? value <= frame.y.hi : value >= frame.y.lo)) return null;
  return { x: data.x[index]!, edge, shape: "outline", color: look(line).color, label: "", value };
}

/** Returns the index of the extreme that has a place on the axes, or -1 if no value has one. */
function extremeIndex({ data, frame }: LineScene, column: Float32Array, edge: Edge): number {
  const [from, to] = visibleRange(data, frame);
  let index = -1;
  for (let i = from; i < to; i++) {
    const value = column[i]!;
    if (value !== value || (frame.y.kind === "log" && value <= 0) || !isVisibleX(frame, data.x[i]!)) continue;
    if (index < 0 || (edge === "top" ? value > column[index]! : value < column[index]!)) index = i;
  }
  return index;
}

const shownLines = ({ data }: LineScene): Line[] => data.lines.filter((line) => !line.attempt);
