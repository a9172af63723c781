/* Texts in boxes, and the sizes that they need. */
import type { GraphItem } from "../../api/types";
import { integer } from "../../base/format";

export const FRAME = { side: 16, top: 40, bottom: 12 };
export const LABEL_FONT = "500 13px";
export const DETAIL_FONT = "11px";
const LABEL_PX = 30;
const LINE_PX = 15;
const PADDING = 24;
/** The arrow of a box that can be unfolded. */
const ARROW_PX = 14;
const MIN_WIDTH = 84;
const MAX_WIDTH = 300;
const MAX_LABEL = 44;
/** Cells of repeated blocks in the header of an open box. */
export const CELL_PX = 15;
const MAX_CELLS_PX = 260;

export function closedSize(
  item: GraphItem,
  measure: (text: string, font: string) => number,
): { width: number; height: number } {
  const lines = detailLines(item);
  const arrow = item.kind === "scope" || item.kind === "repeat" ? ARROW_PX : 0;
  const widest = Math.max(
    measure(labelOf(item), LABEL_FONT) + (typeOf(item) ? measure(typeOf(item), DETAIL_FONT) + 10 : 0) + arrow,
    ...lines.map((line) => measure(line, DETAIL_FONT)),
  );
  return {
    width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, Math.ceil(widest) + PADDING)),
    height: LABEL_PX + lines.length * LINE_PX + (lines.length ? 4 : 0),
  };
}

export function frameWidth(item: GraphItem, measure: (text: string, font: string) => number): number {
  const cells = item.members ? cellWidth(item) * item.members.length + 32 : 0;
  return measure(`${labelOf(item)} ${summary(item)}`, LABEL_FONT) + cells + 64;
}

export const cellWidth = ({ members }: GraphItem): number =>
  Math.max(3, Math.min(CELL_PX, MAX_CELLS_PX / Math.max(1, members?.length ?? 1)));

export function labelOf({ label, members }: GraphItem): string {
  const short = label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL / 2)}…${label.slice(1 - MAX_LABEL / 2)}` : label;
  return members ? `${short} ×${members.length}` : short;
}

/** The class, unless the label says the same. */
export function typeOf({ type, label, kind, op }: GraphItem): string {
  if (kind === "input" || kind === "output") return "";
  const shown = type || op || "";
  return shown.toLowerCase() === label.toLowerCase() || shown === "" ? "" : shown.slice(0, 32);
}

/** Lines below the label: parameters of an operation, or what is in a scope. */
export function detailLines(item: GraphItem): string[] {
  if (item.kind === "op") return (item.lines ?? []).map(({ name, shape }) => `${name} ${shapeText(shape)}`);
  return item.kind === "input" || item.kind === "output" ? [] : [summary(item)];
}

export function summary({ ops, hidden, parameters, kind }: GraphItem): string {
  const parts = kind === "op" ? [] : [`${integer(ops)} ops`];
  if (parameters) parts.push(amount(parameters));
  if (hidden) parts.push(`+${integer(hidden)} hidden`);
  return parts.join(" · ");
}

export const shapeText = (shape: number[] | null): string =>
  shape === null ? "?" : shape.length ? shape.map((size) => (size < 0 ? "?" : String(size))).join(" × ") : "scalar";

/** Returns a number with a unit, such as 85.1 M. */
export function amount(value: number): string {
  const units = ["", " k", " M", " G", " T", " P"];
  let at = 0;
  while (Math.abs(value) >= 1000 && at < units.length - 1) [value, at] = [value / 1000, at + 1];
  return `${at === 0 ? Math.round(value) : value.toPrecision(3)}${units[at]}`;
}
