/* Texts about a run. */
import type { RunRow, RunState } from "../../api/types";
import { counted, isUnknownTime, size } from "../../base/format";
import { runStates } from "../runStates";

export function stateText(state: RunState, seconds: number): string {
  return Number.isNaN(seconds) ? "No points yet" : runStates[state].describe(seconds);
}

export function damageText(run: RunRow): string {
  const { damage } = run;
  if (!damage) return "";
  if (!damage.records) return damage.where.map(({ file, why }) => `${file} ${why}`)[0]!;
  return `${counted(damage.records, "corrupt record")} skipped (${size(damage.bytes)})`;
}

/** Tooltip of a row: name, path and note. */
export function titleOf(run: RunRow): string {
  return [run.alias ? `${run.alias} (${run.label})` : run.label, run.path, run.note].filter(Boolean).join("\n");
}

/** Time since the last point, short enough for a column: `now`, `38m`, `3h`, `12d`, `2y`; `–` without a point or without its time. */
export function age(seconds: number): string {
  if (Number.isNaN(seconds) || isUnknownTime(seconds)) return "–";
  if (seconds < 60) return "now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)}h`;
  const days = Math.floor(seconds / 86400);
  return days < 365 ? `${days}d` : `${Math.floor(days / 365)}y`;
}
