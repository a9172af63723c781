/* The run that all charts compare with, in the URL. */
import { oneOf, param, text } from "../base/url";
import { board } from "./board.svelte";

export type BaselineMode = "difference" | "ratio";

/** The id of the run, or empty. */
export const baselineRun = param("baseline", text, "");
export const baselineMode = param<BaselineMode>("against", oneOf("difference", "ratio"), "difference");

/** The baseline as the server is asked for it. A run that is gone is none. */
export function baseline(): { run: string; mode: BaselineMode } | undefined {
  const run = baselineRun.value;
  return board.run(run) && { run, mode: baselineMode.value };
}
