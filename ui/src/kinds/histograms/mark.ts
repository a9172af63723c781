/* What is marked upon a grid: the step that is looked at. As shapes of an SVG, because a moving pointer marks every card in sight, and a
   canvas is copied whole each time. */
import { columnEdges, valueAt } from "./histogramGrid";
import { overlaid, type Place, ridge, ridgeBases, ridgeLabel } from "./ridges";
import { along, type Box, plotBox, type Scene, upward } from "./plotArea";

export interface Mark {
  /** Of a path. */
  line: string;
  look: "outline" | "line" | "dashes";
  /** The step, beside its ridge. */
  label?: { x: number; y: number; words: string };
  /** What the label stands on, where it stands in for others. */
  covered?: Box[];
  /** Around what is under the pointer. */
  cell?: Box;
}

const LABEL_APART = 13;

/** `row` is the one under the pointer. */
export function markOf(scene: Scene, width: number, height: number, column: number, row: number | null): Mark {
  const box = plotBox(width, height, scene.shape);
  if (scene.shape === "ridge") return markRidge(scene, box, column);
  if (scene.shape === "overlay") return { line: path(overlaid(scene, column, box)), look: "outline" };
  return markColumn(scene, box, column, row);
}

function markRidge(scene: Scene, box: Box, column: number): Mark {
  const bases = ridgeBases(scene, box);
  const base = bases[column]!;
  const covered = [bases[0]!, bases.at(-1)!]
    .filter((end) => Math.abs(end - base) < LABEL_APART)
    .map((end) => ({ left: box.left + box.width + 4, top: end - 10, width: 54, height: 14 }));
  return {
    line: path(ridge(scene, column, box, base)),
    look: "outline",
    label: ridgeLabel(scene, column, box, base),
    covered,
  };
}

function markColumn(scene: Scene, box: Box, column: number, row: number | null): Mark {
  const { grid, shape } = scene;
  const edges = columnEdges(grid, scene.x);
  const place = along(scene, box.left, box.width);
  const [from, to] = [place(edges[column]!), place(edges[column + 1]!)];
  const x = Math.round(shape === "bands" ? from : (from + to) / 2) + 0.5;
  const line = `M${x} ${box.top}V${box.top + box.height}`;
  if (row === null) return { line, look: "dashes" };
  if (shape !== "heat") return { line, look: "line" };
  const high = upward(scene, box);
  const top = high(valueAt(grid, row + 1));
  return {
    line,
    look: "line",
    cell: { left: from - 1, top: top - 1, width: to - from + 2, height: high(valueAt(grid, row)) - top + 2 },
  };
}

function path(places: Place[]): string {
  return `M${places.map((place) => place.map((v) => v.toFixed(1)).join(" ")).join("L")}`;
}
