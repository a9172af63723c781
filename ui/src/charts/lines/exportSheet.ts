/** Image of many line charts: cards in three columns, with one legend of all runs. */
import { drawNote, drawTitle, EDGE, type ImageFormat, makeImage, type Size } from "../exportImage";
import { drawLegend, type LegendEntry, legendHeight } from "../legend";
import type { Pen } from "../pen";
import { drawText } from "../shapes";
import type { Line } from "./data";
import { drawChart } from "./drawChart";
import { loadDetails } from "./lazyDetails";
import type { LineScene } from "./scene";

export interface SheetCard {
  prefix: string;
  name: string;
  /** Text after the name. */
  note: string;
  smoothing: string;
  scene: LineScene;
  /** Entry of a line's run in the legend. */
  runOf(line: Line): LegendEntry;
}

export interface Sheet {
  title: string;
  note: string;
  cards: SheetCard[];
}

export const CARD_PLOT = { width: 440, height: 230 };
const COLUMNS = 3;
const HEAD = 60;
const CARD_TITLE = 32;
const TITLE_CHAR_PX = 6.9;
const GAP = 12;
const WIDTH = COLUMNS * CARD_PLOT.width + (COLUMNS - 1) * GAP + 2 * EDGE;
const LEGEND_WIDTH = WIDTH - 2 * EDGE;
const CARD_HEIGHT = CARD_TITLE + CARD_PLOT.height;
/** More runs than this would make the legend longer than the charts. */
const MAX_RUNS = 120;

export async function exportSheet(sheet: Sheet, format: ImageFormat): Promise<Blob> {
  if (!sheet.cards.length) throw new Error("None of the shown runs has these tags.");
  await loadDetails();
  const runs = runsOf(sheet);
  const legend = legendHeight(runs.slice(0, MAX_RUNS), LEGEND_WIDTH, 1);
  const size = { width: WIDTH, height: legendTop(sheet) + legend + EDGE };
  return makeImage(format, size, (pen) => draw(pen, sheet, size, runs));
}

const legendTop = ({ cards }: Sheet): number => HEAD + Math.ceil(cards.length / COLUMNS) * (CARD_HEIGHT + GAP);

/** Returns the runs of all cards, in the order of their first appearance. */
function runsOf(sheet: Sheet): LegendEntry[] {
  const runs = new Map<string, LegendEntry>();
  for (const { scene, runOf } of sheet.cards) {
    for (const line of scene.data.lines) if (!line.attempt) runs.set(line.run, runOf(line));
  }
  return [...runs.values()];
}

function draw(pen: Pen, sheet: Sheet, size: Size, runs: LegendEntry[]): void {
  const { theme } = sheet.cards[0]!.scene;
  drawTitle(pen, theme, size, sheet.title);
  const smoothing = new Set(sheet.cards.map((card) => card.smoothing));
  drawNote(pen, theme, `${sheet.note}, ${smoothing.size === 1 ? [...smoothing][0] : "smoothed differently"}`);
  sheet.cards.forEach((card, i) => {
    pen.save();
    pen.translate(EDGE + (i % COLUMNS) * (CARD_PLOT.width + GAP), HEAD + Math.floor(i / COLUMNS) * (CARD_HEIGHT + GAP));
    drawCard(pen, card);
    pen.restore();
  });
  const hidden = runs.length - MAX_RUNS;
  drawLegend(
    pen,
    theme,
    runs.slice(0, MAX_RUNS),
    { left: EDGE, top: legendTop(sheet) + 10, width: LEGEND_WIDTH },
    hidden > 0 ? `and ${hidden} more` : "",
  );
}

function drawCard(pen: Pen, { prefix, name, note, scene }: SheetCard): void {
  const { theme } = scene;
  pen.strokeStyle = theme.grid;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.rect(0.5, 0.5, CARD_PLOT.width - 1, CARD_HEIGHT - 1);
  pen.stroke();
  const space = Math.floor((CARD_PLOT.width - 24) / TITLE_CHAR_PX);
  const title = `${prefix}${name}${note}`;
  drawText(pen, title.length > space ? `${title.slice(0, space - 1)}…` : title, 12, 17, {
    font: `600 13px ${theme.font}`,
    color: theme.ink,
  });
  pen.translate(0, CARD_TITLE);
  drawChart(pen, { ...scene, vector: true });
}
