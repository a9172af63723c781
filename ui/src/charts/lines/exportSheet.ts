/** Many charts to take away as one picture: cards in three columns, one legend of the runs for all of them. */
import type { Line } from "./data";
import { drawChart, type Look, type Scene } from "./draw";
import type { Pen } from "../pen";
import { canvasPng, legendColumns, paintKey, write } from "../exportImage";
import { SvgPen } from "../svgPen";

export interface SheetCard {
  prefix: string;
  name: string;
  /** What is said after the name. */
  note: string;
  smoothing: string;
  scene: Scene;
  /** What to call a line in the legend of all cards: colors go by run. */
  runOf(line: Line): string;
}

export interface Page {
  title: string;
  note: string;
  cards: SheetCard[];
}

export const CARD_PLOT = { width: 440, height: 230 };
const COLUMNS = 3;
const HEAD = 60;
const TITLE = 32;
const GAP = 12;
const EDGE = 16;
const ROW = 20;
const WIDTH = COLUMNS * CARD_PLOT.width + (COLUMNS - 1) * GAP + 2 * EDGE;
const CARD_HEIGHT = TITLE + CARD_PLOT.height;
/** More runs than this would make the legend longer than the charts. */
const MOST_RUNS = 120;

export function sheetToSvg(page: Page): string {
  const pen = new SvgPen(WIDTH, heightOf(page));
  paint(pen, page);
  return pen.toString();
}

export function sheetToPng(page: Page): Promise<Blob> {
  return canvasPng(WIDTH, heightOf(page), (pen) => paint(pen, page));
}

function rows(page: Page): number {
  return Math.ceil(page.cards.length / COLUMNS);
}

type Key = Pick<Look, "label" | "color" | "dash">;

/** The runs of all cards in the order in which they appear. */
function runsOf(page: Page): Key[] {
  const runs = new Map<string, Key>();
  for (const { scene, runOf } of page.cards) {
    for (const line of scene.data.lines)
      if (!line.attempt) runs.set(line.run, { label: runOf(line), color: scene.look(line).color, dash: [] });
  }
  return [...runs.values()];
}

function heightOf(page: Page): number {
  const runs = runsOf(page).slice(0, MOST_RUNS);
  return (
    HEAD +
    rows(page) * (CARD_HEIGHT + GAP) +
    Math.ceil((runs.length + 1) / legendColumns(runs, WIDTH - 2 * EDGE)) * ROW +
    EDGE
  );
}

function paint(pen: Pen, page: Page): void {
  const theme = page.cards[0]?.scene.theme;
  if (!theme) throw new Error("None of the shown runs has these tags.");
  pen.fillStyle = theme.surface;
  pen.fillRect(0, 0, WIDTH, heightOf(page));
  write(pen, page.title, EDGE, 22, `600 15px ${theme.font}`, theme.ink);
  const smoothing = new Set(page.cards.map((card) => card.smoothing));
  write(
    pen,
    `${page.note}, ${smoothing.size === 1 ? [...smoothing][0] : "smoothed differently"}`,
    EDGE,
    42,
    `12px ${theme.font}`,
    theme.ink3,
  );
  page.cards.forEach((card, i) =>
    paintCard(
      pen,
      card,
      EDGE + (i % COLUMNS) * (CARD_PLOT.width + GAP),
      HEAD + Math.floor(i / COLUMNS) * (CARD_HEIGHT + GAP),
    ),
  );
  paintLegend(pen, page);
}

function paintCard(pen: Pen, { prefix, name, note, scene }: SheetCard, x: number, y: number): void {
  const { theme } = scene;
  pen.save();
  pen.translate(x, y);
  pen.strokeStyle = theme.grid;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.rect(0.5, 0.5, CARD_PLOT.width - 1, CARD_HEIGHT - 1);
  pen.stroke();
  const room = Math.floor((CARD_PLOT.width - 24) / 6.9);
  const words = `${prefix}${name}${note}`;
  write(pen, words.length > room ? `${words.slice(0, room - 1)}…` : words, 12, 17, `600 13px ${theme.font}`, theme.ink);
  pen.translate(0, TITLE);
  drawChart(pen, { ...scene, vector: true });
  pen.restore();
}

function paintLegend(pen: Pen, page: Page): void {
  const { theme } = page.cards[0]!.scene;
  const all = runsOf(page);
  const runs = all.slice(0, MOST_RUNS);
  const across = legendColumns(runs, WIDTH - 2 * EDGE);
  const top = HEAD + rows(page) * (CARD_HEIGHT + GAP) + ROW / 2;
  const place = (i: number): [number, number] => [
    EDGE + ((i % across) * (WIDTH - 2 * EDGE)) / across,
    top + Math.floor(i / across) * ROW,
  ];
  runs.forEach((run, i) => paintKey(pen, theme, run, ...place(i)));
  if (all.length > runs.length)
    write(pen, `and ${all.length - runs.length} more`, ...place(runs.length), `12px ${theme.font}`, theme.ink3);
}
