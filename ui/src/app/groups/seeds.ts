/* Runs that differ only in their seed. */
import { postJson } from "../../api/client";
import type { SeedsResponse } from "../../api/types";
import { board } from "../board.svelte";

/** Finds the repetitions among the listed runs. `by` is what to group by so that they are together. */
export async function seedGroups(signal?: AbortSignal): Promise<SeedsResponse> {
  const only = board.listed.map((run) => run.id);
  const runs = only.length === board.runs.length ? undefined : { only };
  const found = await postJson<SeedsResponse>("groups/seeds", { runs }, signal);
  // Nothing but the seed differs: the runs with a seed are one group.
  return found.seed && !found.by ? { ...found, by: `exists ${found.seed}` } : found;
}
