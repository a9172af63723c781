/* How many values there are, as shades over the steps. Painted dot by dot: thousands of rectangles would take a frame each. */
import { columnEdges, valueAt } from "./histogramGrid";
import { along, type Box, drawTimeAxis, heightOf, plotBox, type Scene, type PlotArea, upward } from "./plotArea";

export function drawHeatmap(area: PlotArea, scene: Scene): void {
  const box = plotBox(area.width, area.height, "heat");
  drawTimeAxis(area, box, scene);
  area.pen.drawImage(paint(scene, area.ink.ramp, box, area.dense), box.left, box.top, box.width, box.height);
}

function paint(scene: Scene, ramp: string[], box: Box, dense: number): HTMLCanvasElement {
  const [width, height] = [Math.round(box.width * dense), Math.round(box.height * dense)];
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  const image = context.createImageData(width, height);
  const dots = new Uint32Array(image.data.buffer);
  const { columns, rows } = cellsUnder(scene, { left: 0, top: 0, width, height });
  const cells = shades(scene, colors(ramp));
  for (let y = 0; y < height; y++) {
    const row = rows[y]!;
    if (row < 0) continue;
    for (let x = 0; x < width; x++)
      if (columns[x]! >= 0) dots[y * width + x] = cells[columns[x]! * scene.grid.rows + row]!;
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/** Which column, and which row, each dot along and up the plot belongs to; -1 beyond the grid. */
function cellsUnder(scene: Scene, box: Box): { columns: Int32Array; rows: Int32Array } {
  const { grid } = scene;
  const [place, high] = [along(scene, 0, box.width), upward(scene, box)];
  const edges = columnEdges(grid, scene.x);
  const [columns, rows] = [new Int32Array(box.width).fill(-1), new Int32Array(box.height).fill(-1)];
  // Narrower than a dot, it has one all the same.
  for (let i = 0; i < grid.columns; i++) columns.fill(i, Math.floor(place(edges[i]!)), Math.ceil(place(edges[i + 1]!)));
  for (let i = 0; i < grid.rows; i++)
    rows.fill(i, Math.max(0, Math.floor(high(valueAt(grid, i + 1)))), Math.ceil(high(valueAt(grid, i))));
  return { columns, rows };
}

/** The color of each cell, as a dot of an image has it; nothing where nothing was counted. */
function shades(scene: Scene, colors: Uint32Array): Uint32Array {
  const height = heightOf(scene);
  return Uint32Array.from(scene.grid.counts, (count) =>
    count > 0 ? colors[Math.min(colors.length - 1, Math.floor(height(count) * colors.length))]! : 0,
  );
}

let known: { names: string; dots: Uint32Array } | null = null;

/** Color names as dots of an image. */
function colors(names: string[]): Uint32Array {
  if (known?.names !== names.join()) {
    const canvas = document.createElement("canvas");
    canvas.width = names.length;
    const context = canvas.getContext("2d", { willReadFrequently: true })!;
    names.forEach((name, i) => {
      context.fillStyle = name;
      context.fillRect(i, 0, 1, 1);
    });
    known = { names: names.join(), dots: new Uint32Array(context.getImageData(0, 0, names.length, 1).data.buffer) };
  }
  return known.dots;
}
