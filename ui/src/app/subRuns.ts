/* Sub-runs: runs in the folder of another run. `add_scalars` writes them. */
import type { RunRow } from "../api/types";

type Named = Pick<RunRow, "name">;

export const isSubRun = (run: Named, of: Named): boolean => run.name.startsWith(`${of.name}/`);

/** Returns the sub-runs of some runs that are not among these runs. */
export function subRunsOf<Run extends Named>(runs: readonly Named[], all: readonly Run[]): Run[] {
  const names = new Set(runs.map((run) => run.name));
  return all.filter((run) => !names.has(run.name) && runs.some((other) => isSubRun(run, other)));
}
