/** One line chart. Order: grid, density, envelopes, raw, lines, emphasised line on its casing, ends of live runs, marks. */
import { lowerBound, type ChartData, type Line, type Mark, type Span } from "./data";
import { drawDensity } from "./density";
import type { Frame } from "./frame";
import type { Pen } from "./pen";
import type { Theme } from "./theme";

export interface Look {
  colour: string;
  label: string;
  dash: readonly number[];
  live: boolean;
}

export interface Scene {
  frame: Frame;
  data: ChartData;
  look(line: Line): Look;
  emphasised: string | null;
  envelopes: "all" | "emphasised";
  /** There is room for words. */
  roomy: boolean;
  theme: Theme;
}

const LINE = 1.5;
const RAW = 1;
const EMPHASISED = 2.25;
const CASING = 4;
/** Above so many lines the others step back while one is emphasised. */
const CROWD = 12;

export function drawChart(pen: Pen, scene: Scene): void {
  drawGrid(pen, scene.frame, scene.theme);
  pen.save();
  clipToBox(pen, scene.frame);
  if (scene.data.density) drawDensity(pen, scene.data.density, scene.frame.box, scene.frame.x, scene.frame.y, scene.theme);
  drawLines(pen, scene);
  pen.restore();
  drawEnds(pen, scene);
  drawMarks(pen, scene);
}

function clipToBox(pen: Pen, { box }: Frame): void {
  pen.beginPath();
  pen.rect(box.left, box.top - 4, box.right - box.left + 6, box.bottom - box.top + 5);
  pen.clip();
}

export function drawGrid(pen: Pen, frame: Frame, theme: Theme): void {
  const { box } = frame;
  pen.font = `11px ${theme.font}`;
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  pen.lineWidth = 1;
  frame.yTicks.forEach((tick, i) => {
    const y = Math.round(frame.py(tick)) + 0.5;
    pen.fillStyle = theme.ink3;
    pen.fillText(frame.yLabels[i]!, box.left - 8, y);
    if (y < box.bottom - 2) rule(pen, theme.grid, box.left, y, box.right, y);
  });
  rule(pen, theme.axis, box.left, Math.round(box.bottom) + 0.5, box.right, Math.round(box.bottom) + 0.5);
  drawXLabels(pen, frame, theme);
}

function drawXLabels(pen: Pen, frame: Frame, theme: Theme): void {
  pen.fillStyle = theme.ink3;
  frame.xAxis.at.forEach((tick, i) => {
    const x = frame.px(tick);
    const half = frame.xAxis.labels[i]!.length * 3.2;
    pen.textAlign = x - half < frame.box.left - 8 ? "left" : x + half > frame.width - 4 ? "right" : "center";
    pen.fillText(frame.xAxis.labels[i]!, pen.textAlign === "right" ? frame.width - 4 : x, frame.box.bottom + 13);
  });
}

function rule(pen: Pen, colour: string, x1: number, y1: number, x2: number, y2: number): void {
  pen.strokeStyle = colour;
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

/** `plain` leaves out envelopes and raw lines, for a small picture. */
export function drawLines(pen: Pen, scene: Scene, { plain = false } = {}): void {
  const { data, emphasised, theme } = scene;
  const window = visible(data, scene.frame);
  const isHot = (line: Line): boolean => line.run === emphasised;
  const someHot = data.lines.some(isHot);
  const dimmed = someHot && data.lines.length > CROWD ? theme.dimAlpha : 1;
  pen.lineJoin = "round";
  pen.lineCap = "butt";
  for (const line of plain ? [] : data.lines) {
    if (!line.lo || line.attempt || (scene.envelopes === "emphasised" && data.lines.length > 1 && !isHot(line))) continue;
    pen.globalAlpha = theme.envelopeAlpha * (someHot && !isHot(line) ? 0.45 * dimmed : crowdAlpha(data.lines.length));
    fillEnvelope(pen, scene, line, window);
  }
  for (const line of plain ? [] : data.lines) {
    if (line.lo || line.attempt || line.raw === line.smooth) continue;
    pen.globalAlpha = theme.rawAlpha * (isHot(line) ? 1 : dimmed * crowdAlpha(data.lines.length));
    strokeColumn(pen, scene, line, line.raw, window, RAW);
  }
  pen.globalAlpha = dimmed;
  for (const line of data.lines) if (!isHot(line)) strokeLine(pen, scene, line, window, plain ? RAW : LINE);
  pen.globalAlpha = 1;
  for (const line of data.lines.filter(isHot)) {
    strokeCasing(pen, scene, line, window);
    strokeLine(pen, scene, line, window, EMPHASISED);
  }
}

/** Forty envelopes at full strength are mud. */
const crowdAlpha = (lines: number): number => (lines <= 6 ? 1 : Math.max(0.25, 6 / lines));

/** The indices to draw, with one beyond each edge so that lines leave the box. */
function visible(data: ChartData, { x }: Frame): Span {
  return [Math.max(0, lowerBound(data.x, x.lo) - 1), Math.min(data.x.length, lowerBound(data.x, x.hi) + 2)];
}

function strokeLine(pen: Pen, scene: Scene, line: Line, window: Span, width: number): void {
  pen.setLineDash(line.attempt ? [2, 3] : [...scene.look(line).dash]);
  strokeColumn(pen, scene, line, line.smooth, window, line.attempt ? 1.25 : width);
  pen.setLineDash([]);
}

function strokeCasing(pen: Pen, scene: Scene, line: Line, window: Span): void {
  pen.globalAlpha = 0.85;
  pen.strokeStyle = scene.theme.surface;
  pen.lineWidth = CASING + 1;
  tracePath(pen, scene, line, line.smooth, window);
  pen.stroke();
  pen.globalAlpha = 1;
}

function strokeColumn(pen: Pen, scene: Scene, line: Line, column: Float32Array, window: Span, width: number): void {
  pen.strokeStyle = scene.look(line).colour;
  pen.lineWidth = width;
  const lone = tracePath(pen, scene, line, column, window);
  pen.stroke();
  if (lone.length && column === line.smooth) drawLonePoints(pen, lone, scene.look(line).colour);
}

function drawLonePoints(pen: Pen, points: [number, number][], colour: string): void {
  pen.fillStyle = colour;
  for (const [x, y] of points) circle(pen, x, y, 2.5);
}

/** Traces a column through its own points; a NaN that was logged, marked on the axis, breaks the line. Gives the points with no neighbour. */
function tracePath(pen: Pen, { frame, data }: Scene, line: Line, column: Float32Array, [from, to]: Span): [number, number][] {
  const { px, py } = frame;
  const lone: [number, number][] = [];
  const marks = line.marks;
  let next = 0;
  let run = 0;
  let last: [number, number] = [0, 0];
  pen.beginPath();
  const end = (): void => void (run === 1 && lone.push(last));
  for (let i = from; i < to; i++) {
    const value = column[i]!;
    if (value !== value) continue;
    const x = data.x[i]!;
    let broken = false;
    for (; next < marks.length && marks[next]!.x <= x; next++) broken ||= i > from;
    const place: [number, number] = [px(x), clampPixel(py(value), frame.height)];
    if (run === 0 || broken) {
      end();
      run = 0;
      pen.moveTo(...place);
    } else pen.lineTo(...place);
    run++;
    last = place;
  }
  end();
  return lone;
}

/** Far outside the box a canvas loses precision, and a log axis has no place for zero. */
function clampPixel(y: number, height: number): number {
  if (y !== y) return 4 * height;
  return y < -4 * height ? -4 * height : y > 4 * height ? 4 * height : y;
}

function fillEnvelope(pen: Pen, { frame, data, look }: Scene, line: Line, [from, to]: Span): void {
  const lo = line.lo!;
  const hi = line.hi!;
  pen.fillStyle = look(line).colour;
  pen.beginPath();
  const there: number[] = [];
  for (let i = from; i < to; i++) if (lo[i]! === lo[i]!) there.push(i);
  there.forEach((i, n) => {
    const x = frame.px(data.x[i]!);
    const y = clampPixel(frame.py(hi[i]!), frame.height);
    if (n) pen.lineTo(x, y);
    else pen.moveTo(x, y);
  });
  for (const i of there.reverse()) pen.lineTo(frame.px(data.x[i]!), clampPixel(frame.py(lo[i]!), frame.height));
  pen.closePath();
  pen.fill();
}

function circle(pen: Pen, x: number, y: number, radius: number): void {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
}

export function dot(pen: Pen, x: number, y: number, radius: number, colour: string, ring: string): void {
  pen.fillStyle = ring;
  circle(pen, x, y, radius + 1.5);
  pen.fillStyle = colour;
  circle(pen, x, y, radius);
}

function drawEnds(pen: Pen, scene: Scene): void {
  const { data, frame, theme } = scene;
  for (const line of data.lines) {
    const { live, colour } = scene.look(line);
    if (!live || line.attempt) continue;
    let i = data.x.length - 1;
    while (i >= 0 && Number.isNaN(line.smooth[i]!)) i--;
    if (i < 0 || data.x[i]! > frame.x.hi || data.x[i]! < frame.x.lo) continue;
    const x = frame.px(data.x[i]!);
    const y = frame.py(line.smooth[i]!);
    if (!(y >= frame.box.top - 4 && y <= frame.box.bottom)) continue;
    pen.globalAlpha = 0.2;
    pen.fillStyle = colour;
    circle(pen, x, y, 6);
    pen.globalAlpha = 1;
    dot(pen, x, y, 3, colour, theme.surface);
  }
}

/** Pixels that a word beside a mark takes. */
const WORD = 40;
const SAYS: Record<Mark["what"], string> = { nan: "NaN", inf: "+Inf", "-inf": "−Inf" };

/** Values that cannot be drawn sit on the edge they left by; restarts hang from the top edge. One word for each, where there is room. */
function drawMarks(pen: Pen, scene: Scene): void {
  const last = { top: -Infinity, bottom: -Infinity };
  for (const [x, mark, colour] of placedMarks(scene)) {
    const edge = mark.what === "inf" ? "top" : "bottom";
    if (mark.what === "nan") drawCross(pen, scene, x, colour);
    else drawTriangle(pen, scene, x, colour, mark.what === "inf");
    // Marks side by side are one story: the first of them says it.
    const told = x - last[edge] < WORD;
    last[edge] = x;
    if (told || x > scene.frame.box.right - 24) continue;
    const words = scene.roomy ? `${SAYS[mark.what]} from step ${mark.step}` : SAYS[mark.what];
    label(pen, scene.theme, words, x + 9, edge === "top" ? scene.frame.box.top + 1 : scene.frame.box.bottom - 9);
  }
  drawRestarts(pen, scene, last.top);
}

/** At most one mark of a kind a pixel: a run that logs NaN for an hour is one bar of crosses, not ten thousand. */
function placedMarks({ data, frame, look }: Scene): [number, Mark, string][] {
  const seen = new Set<string>();
  const out: [number, Mark, string][] = [];
  for (const line of data.lines) {
    for (const mark of line.marks) {
      if (mark.x < frame.x.lo || mark.x > frame.x.hi) continue;
      const x = frame.px(mark.x);
      const place = `${mark.what}${Math.round(x / 4)}`;
      if (seen.has(place)) continue;
      seen.add(place);
      out.push([x, mark, look(line).colour]);
    }
  }
  return out.sort((a, b) => a[0] - b[0]);
}

function drawCross(pen: Pen, { frame, theme }: Scene, x: number, colour: string): void {
  const y = frame.box.bottom;
  for (const [style, size, width] of [[theme.surface, 4, 4.5], [colour, 3.5, 2]] as const) {
    pen.strokeStyle = style;
    pen.lineWidth = width;
    pen.beginPath();
    pen.moveTo(x - size, y - size);
    pen.lineTo(x + size, y + size);
    pen.moveTo(x + size, y - size);
    pen.lineTo(x - size, y + size);
    pen.stroke();
  }
}

function drawTriangle(pen: Pen, { frame, theme }: Scene, x: number, colour: string, up: boolean): void {
  const tip = up ? frame.box.top - 5 : frame.box.bottom + 5;
  const foot = up ? tip + 8 : tip - 8;
  pen.beginPath();
  pen.moveTo(x, tip);
  pen.lineTo(x + 5, foot);
  pen.lineTo(x - 5, foot);
  pen.closePath();
  pen.strokeStyle = theme.surface;
  pen.lineWidth = 2;
  pen.stroke();
  pen.fillStyle = colour;
  pen.fill();
}

function drawRestarts(pen: Pen, { data, frame, look, theme }: Scene, said: number): void {
  const places = data.lines.flatMap((line) => line.restarts.map((x) => [x, look(line).colour] as const)).sort((a, b) => a[0] - b[0]);
  for (const [x, colour] of places) {
    if (x < frame.x.lo || x > frame.x.hi) continue;
    const at = Math.round(frame.px(x));
    pen.fillStyle = colour;
    pen.fillRect(at - 1, frame.box.top - 4, 2, 12);
    if (Math.abs(at - said) < 56 || at > frame.box.right - 44) continue;
    said = at;
    label(pen, theme, "restart", at + 6, frame.box.top + 2);
  }
}

function label(pen: Pen, theme: Theme, text: string, x: number, y: number): void {
  pen.font = `11px ${theme.font}`;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.fillStyle = theme.ink2;
  pen.fillText(text, x, y);
}
