/** Mark of one step on a histogram chart. It is an SVG: a moving pointer marks all visible cards, and the browser copies a changed canvas whole. */
import type { Box } from "../../charts/box";
import type { Frame } from "../../charts/frame";
import { crisp, type Point } from "../../charts/shapes";
import { columnEdges, valueAt } from "./histogramGrid";
import { overlayOutline, ridgeBases, type RidgeLabel, ridgeLabel, ridgeOutline } from "./ridges";
import { type HistogramScene, makeHistogramFrame } from "./scene";

export interface Mark {
  /** SVG path. */
  line: string;
  look: "outline" | "line" | "dashes";
  /** The step, beside its ridge. */
  label?: RidgeLabel;
  /** Labels that this one replaces. */
  covered?: Box[];
  /** The cell under the pointer. */
  cell?: Box;
}

const LABEL_DISTANCE = 13;

/** `row` is the row under the pointer, or null. */
export function markOf(scene: HistogramScene, width: number, height: number, column: number, row: number | null): Mark {
  const frame = makeHistogramFrame(scene, width, height);
  if (scene.shape === "ridge") return markRidge(scene, frame, column);
  if (scene.shape === "overlay") return { line: pathOf(overlayOutline(scene, column, frame)), look: "outline" };
  return markColumn(scene, frame, column, row);
}

function markRidge(scene: HistogramScene, frame: Frame, column: number): Mark {
  const { right } = frame.box;
  const bases = ridgeBases(scene, frame);
  const base = bases[column]!;
  const covered = [bases[0]!, bases.at(-1)!]
    .filter((end) => Math.abs(end - base) < LABEL_DISTANCE)
    .map((end) => ({ left: right + 4, top: end - 10, right: right + 58, bottom: end + 4 }));
  return {
    line: pathOf(ridgeOutline(scene, column, frame, base)),
    look: "outline",
    label: ridgeLabel(scene, column, frame, base),
    covered,
  };
}

function markColumn({ grid, shape, x }: HistogramScene, frame: Frame, column: number, row: number | null): Mark {
  const { box, px, py } = frame;
  const edges = columnEdges(grid, x);
  const [from, to] = [px(edges[column]!), px(edges[column + 1]!)];
  const line = `M${crisp(shape === "bands" ? from : (from + to) / 2)} ${box.top}V${box.bottom}`;
  if (row === null) return { line, look: "dashes" };
  if (shape !== "heat") return { line, look: "line" };
  const [top, bottom] = [py(valueAt(grid, row + 1)), py(valueAt(grid, row))];
  return { line, look: "line", cell: { left: from - 1, top: top - 1, right: to + 1, bottom: bottom + 1 } };
}

function pathOf(points: Point[]): string {
  return `M${points.map((point) => point.map((v) => v.toFixed(1)).join(" ")).join("L")}`;
}
