/* What the server says, as docs/http.md has it. */

export type RunState = "live" | "stalled" | "finished";

/** Numbers that JSON cannot hold come as words. */
export type JsonNumber = number | "NaN" | "Infinity" | "-Infinity";

export interface Damage {
  records: number;
  bytes: number;
  where: { file: string; offset: number; bytes: number; why: string }[];
}

export interface RunRow {
  id: string;
  /** The folder relative to the logdir. */
  name: string;
  /** What to show where the user gave no other name. */
  label: string;
  path: string;
  start: number;
  last: number;
  state: RunState;
  bytes: number;
  damage?: Damage;
  alias?: string;
  note?: string;
  tags?: string[];
  /** A palette slot 0–11, or `#rrggbb`. */
  colour?: number | string;
  hidden?: boolean;
  archived?: boolean;
}

export interface BoardInfo {
  title: string;
  logdirs: string[];
  version: string;
  cursor: number;
  /** Until the logdir was read once. */
  loading: boolean;
  kinds: Record<string, number>;
  runs: RunRow[];
  views: Record<string, string>;
  writable: boolean;
}

export type RunEdit = { [K in "alias" | "note" | "tags" | "colour" | "hidden" | "archived"]?: RunRow[K] | null };

export interface TagRow {
  tag: string;
  runs: number;
  display?: string;
  description?: string;
}

export interface Grew {
  cursor: number;
  runs: Record<string, { state: RunState; last: number; kinds: Record<string, string[] | "*"> }>;
}

export type XAxis = "step" | "relative" | "wall" | { tag: string };
export type RunChoice = { only: string[] } | { except: string[] };

export interface Smoothing {
  method: "ema" | "gaussian" | "mean" | "none";
  weight: number;
}

export interface ChartQuestion {
  key: string;
  tags: string[];
  x: XAxis;
  range: [number, number] | null;
  width: number;
  smoothing: Smoothing;
  attempts?: boolean;
  emphasised?: string[];
  max_lines?: number;
  /** For the picture of the lines beyond `max_lines`. */
  y?: { range: [number, number] | null; scale: "linear" | "log" };
  height?: number;
}

export interface ChartsQuestion {
  runs: RunChoice;
  since?: number;
  charts: ChartQuestion[];
}

export interface ChartLine {
  run: string;
  tag: string;
  points: number;
  /** An earlier attempt, replaced by a restart. */
  hidden?: boolean;
  last: { step: number; wall: number; relative: number; value: JsonNumber; smoothed: JsonNumber };
  marks: { x: number; step: number; what: "nan" | "inf" | "-inf"; count: number }[];
  restarts: number[];
}

export interface ChartHead {
  key: string;
  unchanged?: boolean;
  exact: boolean;
  points: number;
  drawn: number;
  /** Rows of the grid, and so of each line. */
  cells: number;
  x: [number, number];
  lines: ChartLine[];
  density?: { width: number; height: number; y: [number, number]; scale: "linear" | "log"; lines: number };
}

export interface ChartsHead {
  cursor: number;
  charts: ChartHead[];
}

/** The points nearest to one x. */
export interface AtQuestion {
  runs: RunChoice;
  x: number;
  charts: Pick<ChartQuestion, "key" | "tags" | "x" | "smoothing">[];
}

export interface AtLine {
  run: string;
  tag: string;
  x: number;
  step: number;
  wall: number;
  /** Seconds since the run began. */
  relative: number;
  value: JsonNumber;
  smoothed: JsonNumber;
}

export interface AtAnswer {
  cursor: number;
  charts: { key: string; lines: AtLine[] }[];
}
