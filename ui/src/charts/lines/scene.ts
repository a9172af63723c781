/** Line chart as it is drawn: the data, its layout, and the look of each line. */
import { lowerBound, type ChartData, type Line } from "./data";
import type { Severity } from "../../api/types";
import type { Span } from "../box";
import type { Frame } from "../frame";
import type { Pen } from "../pen";
import type { Theme } from "../theme";

export interface Look {
  color: string;
  label: string;
  dash: readonly number[];
  /** The run is still being written. */
  live: boolean;
}

/** Reported problem at a step. */
export interface FindingMark {
  x: number;
  severity: Severity;
  color: string;
  label: string;
  /** In full, for the tooltip. */
  text: string;
}

export interface LineScene {
  frame: Frame;
  data: ChartData;
  look(line: Line): Look;
  /** The tags on the second y axis, and its range. */
  right?: { tags: ReadonlySet<string>; y: Span };
  findings?: FindingMark[];
  envelopes: "all" | "emphasized";
  /** The range of y was selected automatically. What it leaves out is marked. */
  automaticY: boolean;
  /** There is space for longer labels. */
  roomy: boolean;
  /** For exported images: single wide strokes instead of the faster hairlines of the screen. */
  vector?: boolean;
  /** During a zoom or pan: only thin lines, without envelopes and raw lines. */
  moving?: boolean;
  theme: Theme;
}

/** Returns the scene with the y axis of a line. */
export function sceneOf(scene: LineScene, line: Line): LineScene {
  const { frame, right } = scene;
  return frame.right && right?.tags.has(line.tag) ? { ...scene, frame: frame.right } : scene;
}

/** Extra pixels around the box, so that points on its edges are drawn whole. */
const BEYOND = { top: 4, right: 6, bottom: 3 };

export function clipToBox(pen: Pen, { box }: Frame): void {
  pen.beginPath();
  pen.rect(
    box.left,
    box.top - BEYOND.top,
    box.right - box.left + BEYOND.right,
    box.bottom - box.top + BEYOND.top + BEYOND.bottom,
  );
  pen.clip();
}

/** Returns the range of indices to draw, with one beyond each edge so that lines leave the box. */
export function visibleRange(data: ChartData, { x }: Frame): Span {
  return [Math.max(0, lowerBound(data.x, x.lo) - 1), Math.min(data.x.length, lowerBound(data.x, x.hi) + 2)];
}

export const isVisibleX = ({ x }: Frame, value: number): boolean => value >= x.lo && value <= x.hi;

/** Whether a height in pixels is in the box. A dot may stand out at the top. */
export const isVisibleY = ({ box }: Frame, y: number): boolean => y >= box.top - BEYOND.top && y <= box.bottom;
