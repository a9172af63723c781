/** Finite values that a chart cannot show: extremes outside the range of y, and values without a place on a log axis. */
import { compact } from "../tickLabels";
import { type Line, lowerBound } from "./data";
import { columnX } from "./nearest";
import type { Edge, EdgeMark } from "./marks";
import { type LineScene, sceneOf, visibleRange } from "./scene";

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

/** Values over x among which extremes are sought: a line, or all lines of the density. */
interface Values {
  xs: Float64Array;
  lo: Float32Array;
  hi: Float32Array;
  color: string;
}

/** Returns the maximum of each line above the range of y, and its minimum below. The most extreme of all has its value as label. */
export function hiddenExtremes(scene: LineScene): EdgeMark[] {
  if (!scene.automaticY) return [];
  const all = [
    ...shownLines(scene).map((line) => [sceneOf(scene, line), valuesOf(scene, line)] as const),
    ...densityValues(scene).map((values) => [scene, values] as const),
  ];
  return (["top", "bottom"] as const).flatMap((edge) => {
    const found = all
      .map(([own, values]) => extremeBeyond(own, values, edge))
      .filter((mark) => mark !== null)
      .sort((a, b) => (edge === "top" ? b.value - a.value : a.value - b.value));
    return found.map(({ value, ...mark }, i) => ({ ...mark, label: i === 0 ? compact(value) : "" }));
  });
}

function valuesOf({ data, look }: LineScene, line: Line): Values {
  const { raw, lo = raw, hi = raw } = line;
  return { xs: data.x, lo, hi, color: look(line).color };
}

function densityValues({ data: { density }, theme }: LineScene): Values[] {
  if (!density) return [];
  const xs = Float64Array.from(density.lo, (_, column) => columnX(density, column));
  return [{ xs, lo: density.lo, hi: density.hi, color: theme.ink3 }];
}

function extremeBeyond(scene: LineScene, values: Values, edge: Edge): (EdgeMark & { value: number }) | null {
  const { frame } = scene;
  const column = edge === "top" ? values.hi : values.lo;
  const index = extremeIndex(scene, values.xs, column, edge);
  const value = column[index]!;
  if (index < 0 || (edge === "top" ? value <= frame.y.hi : value >= frame.y.lo)) return null;
  return { x: values.xs[index]!, edge, shape: "outline", color: values.color, label: "", value };
}

/** Returns the index of the extreme that has a place on the axes, or -1 if no value has one. */
function extremeIndex({ frame }: LineScene, xs: Float64Array, column: Float32Array, edge: Edge): number {
  let index = -1;
  for (let i = lowerBound(xs, frame.x.lo); i < xs.length && xs[i]! <= frame.x.hi; i++) {
    const value = column[i]!;
    if (value !== value || (frame.y.kind === "log" && value <= 0)) continue;
    if (index < 0 || (edge === "top" ? value > column[index]! : value < column[index]!)) index = i;
  }
  return index;
}

const shownLines = ({ data }: LineScene): Line[] => data.lines.filter((line) => !line.attempt);
