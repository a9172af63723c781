/** The table on screen as text or as a file, which the server formats. */
import { post, postJson } from "../../api/client";
import type { CopiedTable } from "../../api/types";
import { save } from "../../base/save";
import { aggregateTitle, type Column, isValue } from "./columns";

export const FORMATS = { markdown: "Markdown", latex: "LaTeX", csv: "CSV", parquet: "Parquet" } as const;
export type Format = keyof typeof FORMATS;

const FILES: Record<Format, string> = {
  markdown: "runs.md",
  latex: "runs.tex",
  csv: "runs.csv",
  parquet: "runs.parquet",
};

export interface CopyRequest {
  /** Ids of the runs, in their order on screen. */
  runs: readonly string[];
  columns: readonly Column[];
  marksBest: boolean;
}

/** Titles are names of columns in the copy, so each is there once. */
export function copiedColumns(
  columns: readonly Column[],
  marksBest: boolean,
): { field: string; title: string; best?: string }[] {
  const values = columns.filter(({ shows }) => shows === "values");
  const counts = new Map<string, number>();
  for (const { title } of values) counts.set(title, (counts.get(title) ?? 0) + 1);
  return values.map(({ field, title, metric, best }) => {
    const isUnique = counts.get(title) === 1 && title !== "run";
    const named = isUnique ? title : metric ? `${title} (${aggregateTitle(metric)})` : field;
    return { field, title: named, ...(marksBest && best && isValue(metric) ? { best } : {}) };
  });
}

const bodyOf = ({ runs, columns, marksBest }: CopyRequest) => ({
  runs: { only: runs },
  columns: copiedColumns(columns, marksBest),
});

export async function formatTable(
  format: Exclude<Format, "parquet">,
  request: CopyRequest,
  signal?: AbortSignal,
): Promise<string> {
  return (await postJson<CopiedTable>("facts/copy", { format, ...bodyOf(request) }, signal)).text;
}

export async function downloadTable(format: Format, request: CopyRequest): Promise<string> {
  const blob =
    format === "parquet"
      ? await (await post("facts/parquet", bodyOf(request))).blob()
      : new Blob([await formatTable(format, request)], { type: "text/plain" });
  save(blob, FILES[format]);
  return FILES[format];
}
