/** Legend of an exported image: entries in columns, each a piece of a line and its name. */
import { sharedEnds, shortenName } from "../base/shortNames";
import type { Pen } from "./pen";
import { drawText, strokePoints } from "./shapes";
import type { Theme } from "./theme";

export interface LegendEntry {
  label: string;
  color: string;
  dash: readonly number[];
}

const ROW_PX = 20;
const KEY_PX = 20;
/** Width of a character at 12 px, and of the key with its gaps. Text is not measured, see shapes.ts. */
const CHAR_PX = 6.6;
const KEY_SPACE_PX = 44;
const MIN_CHARS = 8;

function columnsOf(entries: LegendEntry[], width: number): number {
  const longest = Math.max(MIN_CHARS, ...entries.map(({ label }) => label.length));
  return Math.max(1, Math.floor(width / (longest * CHAR_PX + KEY_SPACE_PX)));
}

/** `more` is the number of cells to keep free after the entries. */
export function legendHeight(entries: LegendEntry[], width: number, more = 0): number {
  return Math.ceil((entries.length + more) / columnsOf(entries, width)) * ROW_PX;
}

/** Draws the entries row by row. Long names keep what differs. `note` follows the last entry. */
export function drawLegend(
  pen: Pen,
  theme: Theme,
  entries: LegendEntry[],
  { left, top, width }: { left: number; top: number; width: number },
  note = "",
): void {
  const columns = columnsOf(entries, width);
  const maxChars = Math.floor((width / columns - KEY_SPACE_PX) / CHAR_PX);
  const ends = sharedEnds(entries.map(({ label }) => label));
  const short = (label: string): string => shortenName(label, ends.get(label), maxChars);
  const placeOf = (i: number): [number, number] => [
    left + ((i % columns) * width) / columns,
    top + Math.floor(i / columns) * ROW_PX,
  ];
  entries.forEach((entry, i) => drawLegendEntry(pen, theme, { ...entry, label: short(entry.label) }, ...placeOf(i)));
  if (note) drawText(pen, note, ...placeOf(entries.length), { font: `12px ${theme.font}`, color: theme.ink3 });
}

export function drawLegendEntry(
  pen: Pen,
  theme: Theme,
  { label, color, dash }: LegendEntry,
  x: number,
  y: number,
): void {
  pen.setLineDash([...dash]);
  strokePoints(
    pen,
    [
      [x, y],
      [x + KEY_PX, y],
    ],
    color,
    2.5,
  );
  pen.setLineDash([]);
  drawText(pen, label, x + KEY_PX + 8, y, { font: `12px ${theme.font}`, color: theme.ink });
}
