/* Types of the HTTP API: requests here, responses in `contract.ts`, which is generated from the server's documents. */
import type { RunRow } from "./contract";

export * from "./contract";

export type RunEdit = { [K in "alias" | "note" | "tags" | "colour" | "hidden" | "archived"]?: RunRow[K] | null };

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
  /** Range and scale of the density image of the lines beyond `max_lines`. */
  y?: { range: [number, number] | null; scale: "linear" | "log" };
  height?: number;
}

export interface ChartsQuestion {
  runs: RunChoice;
  since?: number;
  charts: ChartQuestion[];
}

/** Request for the points nearest to one x. */
export interface AtQuestion {
  runs: RunChoice;
  x: number;
  charts: Pick<ChartQuestion, "key" | "tags" | "x" | "smoothing">[];
}
