/* Where the percentiles of the values lie over the steps; of several runs one over the other. */
import { columnEdges } from "./histogramGrid";
import { along, drawTimeAxis, plotBox, type Scene, type PlotArea, upward } from "./plotArea";

/** Which of the nine make the lower edges of the bands, and how dark each is. Alone there is room for all; over each other it is the middle 68 %,
    and lines at the ends. */
const ALONE = { lower: [0, 1, 2, 3], alpha: 0.16 };
const TOGETHER = { lower: [2], alpha: 0.22 };

export function drawBands(area: PlotArea, scenes: Scene[]): void {
  const box = plotBox(area.width, area.height, "bands");
  drawTimeAxis(area, box, scenes[0]!);
  const { lower, alpha } = scenes.length > 1 ? TOGETHER : ALONE;
  const { pen } = area;
  const traced = scenes.map((scene) => ({
    scene,
    points: bandPoints(scene, box.left, box.width),
    high: upward(scene, box),
  }));
  for (const { scene, points, high } of traced) {
    const { bands } = scene.grid;
    pen.fillStyle = scene.color;
    pen.globalAlpha = alpha;
    for (const edge of lower) {
      pen.beginPath();
      for (const { i, x } of points) pen.lineTo(x, high(bands[edge]![i]!));
      for (const { i, x } of points.toReversed()) pen.lineTo(x, high(bands[8 - edge]![i]!));
      pen.fill();
    }
  }
  // Above every band, so that no run hides another's.
  for (const { scene, points, high } of traced) {
    pen.strokeStyle = scene.color;
    for (const edge of scenes.length > 1 ? [0, 8, 4] : [4]) {
      pen.globalAlpha = edge === 4 ? 1 : 0.45;
      pen.lineWidth = edge === 4 ? 1.5 : 0.75;
      pen.beginPath();
      for (const { i, x } of points) pen.lineTo(x, high(scene.grid.bands[edge]![i]!));
      pen.stroke();
    }
  }
}

/** Where each column stands. One step alone is a short piece of band: a point could not be seen. */
function bandPoints(scene: Scene, left: number, width: number): { i: number; x: number }[] {
  const { columns } = scene.grid;
  const place = along(scene, left, width);
  const edges = columnEdges(scene.grid, scene.x);
  if (columns > 1) return Array.from({ length: columns }, (_, i) => ({ i, x: place(edges[i]!) }));
  const middle = Math.min(left + width * 0.9, Math.max(left + width * 0.1, place(edges[0]!)));
  return [-0.1, 0.1].map((by) => ({ i: 0, x: middle + by * width }));
}
