/* Types of the HTTP API: requests here, responses in `contract.ts`, which is generated from the server's documents. */
import type { FindingRow, RunRow } from "./contract";

export * from "./contract";

type Annotation = "alias" | "note" | "tags" | "colour" | "hidden" | "archived" | "dismissed";
export type RunEdit = { [K in Annotation]?: RunRow[K] | null };

export type Severity = FindingRow["severity"];
export type XAxis = "step" | "relative" | "wall" | { tag: string };
export type RunChoice = { only: string[] } | { except: string[] };

export interface Smoothing {
  /** One of the ids in `kinds/scalars/smoothing.ts`. */
  method: string;
  weight: number;
  /** Leave series unchanged that are short or already smooth. */
  only_noisy?: boolean;
}

export interface ChartQuery {
  key: string;
  tags: string[];
  /** Formulas over tags. Their lines have `=` and the text as their tag. */
  formulas?: string[];
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
  /** Marks the best point of each line. With "auto", its tag tells what is better. */
  best?: "min" | "max" | "auto";
}

/** Compares every line with the same tag of one run. */
export interface Baseline {
  run: string;
  mode: "difference" | "ratio";
}

/** Request for the points nearest to one x. */
export interface AtRequest {
  runs: RunChoice;
  x: number;
  /** Only the `count` lines above and below a y that pass x, or end within `reach` of it. */
  near?: { y: number; count: number; reach: number };
  baseline?: Baseline;
  charts: Pick<ChartQuery, "key" | "tags" | "formulas" | "x" | "smoothing">[];
}
