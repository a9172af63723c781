/* Values over the steps: how many there are as a heat map, or where their percentiles lie as bands. */
import { columnEdges, valueAt } from "./picture";
import { along, drawTimeAxis, heightOf, plotBox, type Scene, type Sheet, upward } from "./sheet";

export function drawHeat(sheet: Sheet, scene: Scene): void {
  const { pen, ink } = sheet;
  const { picture } = scene;
  const box = plotBox(sheet.width, sheet.height, "heat");
  drawTimeAxis(sheet, box, scene);
  const edges = columnEdges(picture, scene.x);
  const [place, high, height] = [along(edges, box.left, box.width), upward(scene, box), heightOf(scene)];
  const shades = ink.ramp.length;
  const shadeAt = (column: number, row: number): number => {
    const count = row < picture.rows ? picture.counts[column * picture.rows + row]! : 0;
    return count > 0 ? Math.min(shades - 1, Math.floor(height(count) * shades)) : -1;
  };
  for (let i = 0; i < picture.columns; i++) {
    const [left, wide] = [place(edges[i]!), place(edges[i + 1]!) - place(edges[i]!) + 0.5];
    // Neighbours of one shade are one rectangle.
    for (let row = 0, from = 0; row < picture.rows; row++) {
      const shade = shadeAt(i, row);
      if (shadeAt(i, row + 1) === shade && row + 1 < picture.rows) continue;
      if (shade >= 0) {
        const top = high(valueAt(picture, row + 1));
        pen.fillStyle = ink.ramp[shade]!;
        pen.fillRect(left, top, wide, high(valueAt(picture, from)) - top + 0.5);
      }
      from = row + 1;
    }
  }
}

export function drawBands(sheet: Sheet, scene: Scene): void {
  const { pen, ink } = sheet;
  const { picture } = scene;
  const box = plotBox(sheet.width, sheet.height, "bands");
  drawTimeAxis(sheet, box, scene);
  const [at, high] = [bandPlaces(scene, box.left, box.width), upward(scene, box)];
  // One step alone is a short piece of band: a point could not be seen.
  const points = picture.columns > 1 ? Array.from({ length: picture.columns }, (_, i) => ({ i, x: at(i) })) : [-0.1, 0.1].map((by) => ({ i: 0, x: at(0) + by * box.width }));
  pen.fillStyle = ink.colour;
  pen.globalAlpha = 0.16;
  for (let inner = 0; inner < 4; inner++) {
    pen.beginPath();
    for (const { i, x } of points) pen.lineTo(x, high(picture.bands[inner]![i]!));
    for (const { i, x } of points.toReversed()) pen.lineTo(x, high(picture.bands[8 - inner]![i]!));
    pen.fill();
  }
  pen.globalAlpha = 1;
  pen.beginPath();
  for (const { i, x } of points) pen.lineTo(x, high(picture.bands[4]![i]!));
  pen.strokeStyle = ink.colour;
  pen.lineWidth = 1.5;
  pen.stroke();
}

/** The line at a column; in a heat map through its middle, and around the cell under the pointer. */
export function markColumn(sheet: Sheet, scene: Scene, column: number, row: number | null, colour: string): void {
  const { pen } = sheet;
  const { picture, shape } = scene;
  const box = plotBox(sheet.width, sheet.height, shape);
  const edges = columnEdges(picture, scene.x);
  const place = along(edges, box.left, box.width);
  const [from, to] = [place(edges[column]!), place(edges[column + 1]!)];
  const x = shape === "bands" ? bandPlaces(scene, box.left, box.width)(column) : (from + to) / 2;
  pen.strokeStyle = colour;
  pen.lineWidth = 1;
  pen.setLineDash(row === null ? [2, 2] : []);
  pen.beginPath();
  pen.moveTo(Math.round(x) + 0.5, box.top);
  pen.lineTo(Math.round(x) + 0.5, box.top + box.height);
  pen.stroke();
  pen.setLineDash([]);
  if (row === null || shape !== "heat") return;
  const high = upward(scene, box);
  const top = high(valueAt(picture, row + 1));
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.rect(from - 1, top - 1, to - from + 2, high(valueAt(picture, row)) - top + 2);
  pen.stroke();
}

/** Bands run from the first step to the last; one step alone stands in the middle. */
function bandPlaces({ picture, x }: Scene, left: number, width: number): (column: number) => number {
  if (picture.columns < 2) return () => left + width / 2;
  const starts = columnEdges(picture, x).subarray(0, picture.columns);
  const place = along(starts, left, width);
  return (column) => place(starts[column]!);
}
