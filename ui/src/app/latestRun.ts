import type { RunRow } from "../api/types";

type Started = Pick<RunRow, "name" | "start">;

/** Returns the run that started last. A run in the folder of another does not count: `add_scalars` writes such sub-runs. */
export function latestRun<Run extends Started>(runs: readonly Run[]): Run | undefined {
  const names = new Set(runs.map((run) => run.name));
  const isSubRun = ({ name }: Started): boolean =>
    name.split("/").some((_, depth, parts) => depth > 0 && names.has(parts.slice(0, depth).join("/")));
  return runs
    .filter((run) => !isSubRun(run))
    .reduce<Run | undefined>((best, run) => (best && (best.start ?? 0) >= (run.start ?? 0) ? best : run), undefined);
}
