import type { RunRow } from "../api/types";
import { isSubRun } from "./subRuns";

/** Returns the run that started last. A run in the folder of another does not count: `add_scalars` writes such sub-runs. */
export function latestRun<Run extends Pick<RunRow, "name" | "start">>(runs: readonly Run[]): Run | undefined {
  const ofAnother = (run: Run): boolean => runs.some((other) => isSubRun(run, other));
  return [...runs].sort((a, b) => (b.start ?? 0) - (a.start ?? 0)).find((run) => !ofAnother(run));
}
