/* Findings of runs, which the sidebar, the charts and the Findings tab show. Not part of the first load. */
import { postJson } from "../api/client";
import { hasGrown, Resource } from "../api/resource.svelte";
import type { FindingList, FindingRow, Severity } from "../api/types";
import { param, text, view } from "../base/url";
import { board } from "./board.svelte";

interface SeverityEntry {
  title: string;
  /** Token of its color. */
  color: string;
  /** Outline and sign in a square of 16 px: the shape tells severities apart without their colors. */
  shape: string;
  sign: string;
}

/** The severities, the worst first. */
export const severities: Record<Severity, SeverityEntry> = {
  error: {
    title: "Errors",
    color: "--error",
    shape: "M5 1.5h6L14.5 5v6L11 14.5H5L1.5 11V5z",
    sign: "M8 4.8v4M8 11v.2",
  },
  warning: { title: "Warnings", color: "--warn", shape: "M8 1.8 15 14H1z", sign: "M8 6.2v3.6M8 11.9v.2" },
  note: {
    title: "Notes",
    color: "--ink-2",
    shape: "M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 1 1 0-13z",
    sign: "M8 7.5v3.7M8 4.9v.2",
  },
};

/** Findings about runs, by the ids of these runs. */
export const findingLists = new Resource<string[], FindingList>({
  maxBatch: 1,
  maxCached: 10,
  // New points may show what is wrong with a run, also if its training reports nothing.
  affects: (event, runs) => runs.some((run) => hasGrown(event, "findings", run) || hasGrown(event, "scalars", run)),
  async fetch([runs], { signal }) {
    const list = await postJson<FindingList>("findings/list", { runs: { only: runs } }, signal);
    return { cursor: list.cursor, data: [list] };
  },
});

/** The run that the Findings tab is limited to, or an empty string for all visible runs. */
export const findingsRun = param("findings.run", text, "");

/** The `idOf` the finding that the tab shows. */
export const findingAt = param("findings.at", text, "");

export function openFindings(run: string, at = ""): void {
  findingsRun.value = run;
  findingAt.value = at;
  view.id = "findings";
}

/** The runs that a finding is about. */
export const runsOf = (one: FindingRow): string[] => one.runs ?? [one.run];

/** Identifies a finding among those of all runs. */
export const idOf = (one: FindingRow): string => `${one.run} ${one.key}`;

/** Whether a person marked it as not a problem. */
export const isDismissed = (one: FindingRow): boolean =>
  runsOf(one).every((run) => board.run(run)?.dismissed?.includes(one.key));
