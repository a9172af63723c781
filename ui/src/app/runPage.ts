/* The page of a run, and runs side by side: their addresses, and links to them. */
import { list, param, stringify, text, view } from "../base/url";
import { followLink } from "./views.svelte";

/** Name of the page in the URL. */
const PAGE = "run";
const KEY = "run";

/** The run that the page is about. */
export const pageRun = param(KEY, text, "");

/** Ids of the runs that the Table tab compares; empty for the table itself. */
export const comparedRuns = param("t.compare", list, []);
/** The server describes as many runs in a response. */
export const MAX_COMPARED = 50;

export function compareRuns(ids: readonly string[]): void {
  comparedRuns.value = [...ids];
  view.id = "table";
}

export function showRun(run: string): void {
  pageRun.value = run;
  view.id = PAGE;
}

export function runAddress(run: string): string {
  return stringify(PAGE, { [KEY]: run });
}

/** Opens the page from a link, unless the click asks for a new browser tab. */
export function openRun(event: MouseEvent, run: string): boolean {
  return followLink(event, () => showRun(run));
}
