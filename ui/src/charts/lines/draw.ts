/** One line chart. Order: grid, density, envelopes, raw, lines, ends of live runs, marks; an emphasized line lies above all, on its casing. */
import type { Span } from "../box";
import { lowerBound, type ChartData, type Line, type Mark } from "./data";
import { drawDensity } from "./density";
import type { Frame } from "../frame";
import type { Pen } from "../pen";
import type { Theme } from "../theme";

export interface Look {
  color: string;
  label: string;
  dash: readonly number[];
  live: boolean;
}

export interface Scene {
  frame: Frame;
  data: ChartData;
  look(line: Line): Look;
  envelopes: "all" | "emphasized";
  /** There is room for words. */
  roomy: boolean;
  /** For a picture to take away: true strokes instead of what is quick on screen. */
  vector?: boolean;
  /** While a hand zooms or pans: the lines alone, in hairs. */
  moving?: boolean;
  theme: Theme;
}

const LINE = 1.5;
/** Many lines are told apart better, and drawn sooner, when they are fine. */
const FINE = 1;
const FINE_FROM = 24;
const RAW = 1;
const EMPHASIZED = 2.25;
const CASING = 4;
/** Above so many lines the others step back while one is emphasized. */
const CROWD = 12;
/** Above so many lines envelopes are mud: only the emphasized line has one. */
const MOST_ENVELOPES = 24;
/** A line through more points than this is drawn in hairs. */
const DENSE = 100;

export function drawChart(pen: Pen, scene: Scene): void {
  drawGrid(pen, scene.frame, scene.theme);
  pen.save();
  clipToBox(pen, scene.frame);
  if (scene.data.density)
    drawDensity(pen, scene.data.density, scene.frame.box, scene.frame.x, scene.frame.y, scene.theme);
  drawLines(pen, scene, { plain: scene.moving });
  pen.restore();
  drawEnds(pen, scene);
  drawMarks(pen, scene);
}

function clipToBox(pen: Pen, { box }: Frame): void {
  pen.beginPath();
  // A little beyond: a point that lies on an edge is seen whole.
  pen.rect(box.left, box.top - 4, box.right - box.left + 6, box.bottom - box.top + 7);
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

function rule(pen: Pen, color: string, x1: number, y1: number, x2: number, y2: number): void {
  pen.strokeStyle = color;
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

/** `plain` leaves out envelopes and raw lines, for a small picture or one that is gone in a moment. */
export function drawLines(pen: Pen, scene: Scene, { plain = false } = {}): void {
  const { data, theme } = scene;
  const window = visible(data, scene.frame);
  const shown = data.lines.filter((line) => !line.attempt);
  const strength = crowdAlpha(shown.length);
  pen.lineJoin = "round";
  pen.lineCap = "butt";
  if (!plain && hasEnvelopes(scene, shown.length)) {
    pen.globalAlpha = theme.envelopeAlpha * strength;
    for (const line of shown) if (line.lo) fillEnvelope(pen, scene, line, window);
  }
  pen.globalAlpha = theme.rawAlpha * strength;
  for (const line of plain ? [] : shown)
    if (!line.lo && line.raw !== line.smooth) strokeColumn(pen, scene, line, line.raw, window, RAW);
  pen.globalAlpha = 1;
  const width = plain || shown.length >= FINE_FROM ? FINE : LINE;
  for (const line of data.lines) strokeLine(pen, scene, line, window, width);
}

function hasEnvelopes(scene: Scene, lines: number): boolean {
  return lines <= MOST_ENVELOPES && (scene.envelopes === "all" || lines === 1);
}

/** The lines of one run, above the others: what a hand points at. Does not touch what is below, so that pointing is quick. */
export function drawEmphasis(pen: Pen, scene: Scene, run: string): void {
  const { data, frame, theme } = scene;
  const lines = data.lines.filter((line) => line.run === run && !line.attempt);
  if (!lines.length) return;
  const window = visible(data, frame);
  pen.save();
  const veiled = data.lines.length > CROWD;
  if (veiled) {
    pen.globalAlpha = 1 - theme.dimAlpha;
    pen.fillStyle = theme.surface;
    // With the marks, which stand on the lower edge.
    pen.fillRect(
      frame.box.left,
      frame.box.top - 4,
      frame.box.right - frame.box.left + 6,
      frame.box.bottom - frame.box.top + 9,
    );
  }
  clipToBox(pen, frame);
  pen.lineJoin = "round";
  for (const line of lines) {
    pen.globalAlpha = theme.envelopeAlpha;
    if (line.lo && (veiled || !hasEnvelopes(scene, data.lines.length))) fillEnvelope(pen, scene, line, window);
    pen.globalAlpha = 0.85;
    strokePath(pen, scene, line, line.smooth, window, CASING + 1, theme.surface, { edgesOnly: true });
    pen.globalAlpha = 1;
    strokeLine(pen, scene, line, window, EMPHASIZED);
  }
  pen.restore();
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

function strokeColumn(pen: Pen, scene: Scene, line: Line, column: Float32Array, window: Span, width: number): void {
  const { color } = scene.look(line);
  const lone = strokePath(pen, scene, line, column, window, width, color);
  if (lone.length && column === line.smooth) drawLonePoints(pen, lone, color);
}

/** Without a GPU a stroke of 1.5 px through a thousand points costs thirty times one of a single device pixel.
    So a dense line is a few hairs side by side; nobody sees the difference, but the hand feels it. Of a casing only the edges show. */
function strokePath(
  pen: Pen,
  scene: Scene,
  line: Line,
  column: Float32Array,
  window: Span,
  width: number,
  color: string,
  { edgesOnly = false } = {},
): [number, number][] {
  pen.strokeStyle = color;
  const ratio = globalThis.devicePixelRatio || 1;
  const hairs = scene.vector || window[1] - window[0] < DENSE ? 1 : edgesOnly ? 2 : Math.ceil(width * ratio);
  pen.lineWidth = hairs === 1 ? width : 1 / ratio;
  let lone: [number, number][] = [];
  for (let i = 0; i < hairs; i++) {
    const aside = hairs === 1 ? 0 : ((i / (hairs - 1)) * 2 - 1) * ((width - 1 / ratio) / 2) * Math.SQRT1_2;
    lone = tracePath(pen, scene, line, column, window, aside);
    pen.stroke();
  }
  return lone;
}

function drawLonePoints(pen: Pen, points: [number, number][], color: string): void {
  pen.fillStyle = color;
  for (const [x, y] of points) circle(pen, x, y, 2.5);
}

/** Traces a column through its own points; a NaN that was logged, marked on the axis, breaks the line. Gives the points with no neighbor. */
function tracePath(
  pen: Pen,
  { frame, data }: Scene,
  line: Line,
  column: Float32Array,
  [from, to]: Span,
  aside: number,
): [number, number][] {
  const { px, py } = frame;
  const lone: [number, number][] = [];
  const marks = line.marks;
  let next = 0;
  let run = 0;
  let [lastX, lastY] = [0, 0];
  pen.beginPath();
  for (let i = from; i < to; i++) {
    const value = column[i]!;
    if (value !== value) continue;
    const at = data.x[i]!;
    let broken = run === 0;
    for (; next < marks.length && marks[next]!.x <= at; next++) broken ||= i > from;
    const x = px(at) + aside;
    const y = clampPixel(py(value), frame.height) + aside;
    if (broken) {
      if (run === 1) lone.push([lastX, lastY]);
      run = 0;
      pen.moveTo(x, y);
    } else pen.lineTo(x, y);
    run++;
    lastX = x;
    lastY = y;
  }
  if (run === 1) lone.push([lastX, lastY]);
  return lone;
}

/** Far outside the box a canvas loses precision, and a log axis has no place for zero. */
function clampPixel(y: number, height: number): number {
  if (y !== y) return 4 * height;
  return y < -4 * height ? -4 * height : y > 4 * height ? 4 * height : y;
}

/** Pixel column by pixel column: plain rectangles cost a thirtieth of a jagged outline. */
function fillEnvelope(pen: Pen, { frame, data, look }: Scene, line: Line, [from, to]: Span): void {
  const { lo, hi } = line as Required<Line>;
  const limit = (value: number): number => clampPixel(frame.py(value), frame.height);
  pen.fillStyle = look(line).color;
  let left = NaN;
  let [top, bottom] = [0, 0];
  for (let i = from; i < to; i++) {
    if (lo[i]! !== lo[i]!) continue;
    const x = Math.round(frame.px(data.x[i]!));
    const [high, low] = [limit(hi[i]!), limit(lo[i]!)];
    if (x === left) {
      top = Math.min(top, high);
      bottom = Math.max(bottom, low);
      continue;
    }
    // Between two cells that are more than a pixel apart the envelope runs straight.
    for (let column = left; column < x; column++) {
      const share = (column - left) / (x - left);
      pen.fillRect(column, top + (high - top) * share, 1, bottom - top + (low - high - bottom + top) * share);
    }
    [left, top, bottom] = [x, high, low];
  }
  if (left === left) pen.fillRect(left, top, 1, bottom - top);
}

function circle(pen: Pen, x: number, y: number, radius: number): void {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
}

export function dot(pen: Pen, x: number, y: number, radius: number, color: string, ring: string): void {
  pen.fillStyle = ring;
  circle(pen, x, y, radius + 1.5);
  pen.fillStyle = color;
  circle(pen, x, y, radius);
}

function drawEnds(pen: Pen, scene: Scene): void {
  const { data, frame, theme } = scene;
  for (const line of data.lines) {
    const { live, color } = scene.look(line);
    if (!live || line.attempt) continue;
    let i = data.x.length - 1;
    while (i >= 0 && Number.isNaN(line.smooth[i]!)) i--;
    if (i < 0 || data.x[i]! > frame.x.hi || data.x[i]! < frame.x.lo) continue;
    const x = frame.px(data.x[i]!);
    const y = frame.py(line.smooth[i]!);
    if (!(y >= frame.box.top - 4 && y <= frame.box.bottom)) continue;
    pen.globalAlpha = 0.2;
    pen.fillStyle = color;
    circle(pen, x, y, 6);
    pen.globalAlpha = 1;
    dot(pen, x, y, 3, color, theme.surface);
  }
}

/** Pixels that a word beside a mark takes. */
const WORD = 40;
const SAYS: Record<Mark["what"], string> = { nan: "NaN", inf: "+Inf", "-inf": "−Inf" };

/** Values that cannot be drawn sit on the edge they left by; restarts hang from the top edge. One word for each, where there is room. */
function drawMarks(pen: Pen, scene: Scene): void {
  const marks = placedMarks(scene);
  for (const [x, mark, color] of marks) {
    if (mark.what === "nan") drawCross(pen, scene, x, color);
    else drawTriangle(pen, scene, x, color, mark.what === "inf");
  }
  const atTop = marks.filter(([, mark]) => mark.what === "inf");
  sayMarks(pen, scene, atTop, scene.frame.box.top + 1, WORD);
  sayMarks(
    pen,
    scene,
    marks.filter(([, mark]) => mark.what !== "inf"),
    scene.frame.box.bottom - 10,
    0,
  );
  drawRestarts(pen, scene, atTop.at(-1)?.[0] ?? -Infinity);
}

/** Marks side by side are one story, and the first of them says it; `room` is what a word needs before the next mark. */
function sayMarks(pen: Pen, scene: Scene, marks: PlacedMark[], y: number, room: number): void {
  marks.forEach(([x, mark], i) => {
    const [before, after] = [marks[i - 1]?.[0] ?? -Infinity, marks[i + 1]?.[0] ?? Infinity];
    if (x - before < WORD || after - x < room || x > scene.frame.box.right - WORD) return;
    const words = scene.roomy ? `${SAYS[mark.what]} from step ${mark.step}` : SAYS[mark.what];
    label(pen, scene.theme, words, x + 9, y);
  });
}

type PlacedMark = [x: number, mark: Mark, color: string];

/** Pixels from one mark to the next. */
const MARK = 9;

/** Marks of a kind stand side by side at most: a run that logs NaN for an hour is one bar of crosses, not ten thousand. */
function placedMarks({ data, frame, look }: Scene): PlacedMark[] {
  const seen = new Set<string>();
  const out: PlacedMark[] = [];
  for (const line of data.lines) {
    for (const mark of line.marks) {
      if (mark.x < frame.x.lo || mark.x > frame.x.hi) continue;
      const x = frame.px(mark.x);
      const place = `${mark.what}${Math.round(x / MARK)}`;
      if (seen.has(place)) continue;
      seen.add(place);
      out.push([x, mark, look(line).color]);
    }
  }
  return out.sort((a, b) => a[0] - b[0]);
}

function drawCross(pen: Pen, { frame, theme }: Scene, x: number, color: string): void {
  const y = frame.box.bottom;
  for (const [style, size, width] of [
    [theme.surface, 4, 4.5],
    [color, 3.5, 2],
  ] as const) {
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

function drawTriangle(pen: Pen, { frame, theme }: Scene, x: number, color: string, up: boolean): void {
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
  pen.fillStyle = color;
  pen.fill();
}

function drawRestarts(pen: Pen, { data, frame, look, theme }: Scene, said: number): void {
  const places = data.lines
    .flatMap((line) => line.restarts.map((x) => [x, look(line).color] as const))
    .sort((a, b) => a[0] - b[0]);
  for (const [x, color] of places) {
    if (x < frame.x.lo || x > frame.x.hi) continue;
    const at = Math.round(frame.px(x));
    pen.fillStyle = color;
    pen.fillRect(at - 1, frame.box.top - 4, 2, 12);
    if (Math.abs(at - said) < 56 || at > frame.box.right - 44) continue;
    said = at;
    label(pen, theme, "restart", at + 6, frame.box.top + 2);
  }
}

/** On a ground of its own, so that it can be read where lines are dense. */
function label(pen: Pen, theme: Theme, text: string, x: number, y: number): void {
  pen.globalAlpha = 0.75;
  pen.fillStyle = theme.surface;
  pen.fillRect(x - 3, y - 7, text.length * 6.2 + 6, 14);
  pen.globalAlpha = 1;
  pen.font = `11px ${theme.font}`;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.fillStyle = theme.ink2;
  pen.fillText(text, x, y);
}
