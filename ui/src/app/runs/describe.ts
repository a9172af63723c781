/* A run in words. */
import type { RunRow, RunState } from "../../api/types";
import { ago, counted, size } from "../../base/format";

export function stateText(state: RunState, seconds: number): string {
  if (Number.isNaN(seconds)) return "No point yet";
  if (state === "live") return "Live";
  if (state === "stalled") return `Stalled: last point ${ago(seconds)}`;
  return `Finished ${ago(seconds)}`;
}

export function damageText(run: RunRow): string {
  const damage = run.damage;
  return damage
    ? `${counted(damage.records, "damaged record")} skipped, ${size(damage.bytes)}. The rest is shown.`
    : "";
}

/** What the row's title says: its name, where it is, and its note. */
export function titleOf(run: RunRow): string {
  return [run.alias ? `${run.alias} (${run.label})` : run.label, run.path, run.note].filter(Boolean).join("\n");
}

/** In one short word, for a column: `now`, `38m`, `3h`, `12d`, `2y`. Not a number: there is no point. */
export function age(seconds: number): string {
  if (Number.isNaN(seconds)) return "–";
  if (seconds < 60) return "now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)}h`;
  const days = Math.floor(seconds / 86400);
  return days < 365 ? `${days}d` : `${Math.floor(days / 365)}y`;
}
