/* Choices of what a sample is compared with: another step of its series, or another run. Their values are in saved URLs. */
import { board } from "../app/board.svelte";

export const [NOTHING, PREVIOUS_STEP, FIRST_STEP] = ["", "step before", "first step"];

/** Returns the options of a select for these runs. */
export function compareOptions(runs: string[]): { value: string; title: string }[] {
  return [
    { value: NOTHING, title: "nothing" },
    { value: PREVIOUS_STEP, title: "previous step" },
    { value: FIRST_STEP, title: "first step" },
    ...runs.map((run) => ({ value: run, title: board.label(run) })),
  ];
}
