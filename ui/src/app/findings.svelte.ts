/* Findings of runs, which the sidebar, the charts and the Findings tab show. Not part of the first load. */
import { postJson } from "../api/client";
import { hasGrown, Resource } from "../api/resource.svelte";
import type { FindingList, FindingRow, Severity } from "../api/types";
import { param, text, view } from "../base/url";

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

/** Findings by the ids of their runs. */
export const findingLists = new Resource<string[], FindingRow[]>({
  maxBatch: 1,
  maxCached: 10,
  // New points may show what is wrong with a run, also if its training reports nothing.
  affects: (event, runs) => runs.some((run) => hasGrown(event, "findings", run) || hasGrown(event, "scalars", run)),
  async fetch([runs], { signal }) {
    const { cursor, findings } = await postJson<FindingList>("findings/list", { runs: { only: runs } }, signal);
    return { cursor, data: [findings] };
  },
});

/** The run that the Findings tab is limited to, or an empty string for all visible runs. */
export const findingsRun = param("findings.run", text, "");

export function openFindings(run: string): void {
  findingsRun.value = run;
  view.id = "findings";
}
