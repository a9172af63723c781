/* The states of a run, as the UI shows them. A new state of the API needs an entry here and nothing else. */
import type { RunState } from "../api/types";
import { ago } from "../base/format";

interface RunStateEntry {
  label: string;
  /** Shape in a square of 12 px: it tells the states apart without their colors. */
  shape: string;
  color: string;
  /** Whether a process may still write to the run. */
  isOpen: boolean;
  /** In full, with the seconds since the last point. */
  describe(seconds: number): string;
}

export const runStates: Record<RunState, RunStateEntry> = {
  live: {
    label: "Running",
    shape:
      '<circle class="pulse" cx="6" cy="6" r="5" fill="currentColor" /><circle cx="6" cy="6" r="3" fill="currentColor" />',
    color: "var(--ok)",
    isOpen: true,
    describe: () => "Running",
  },
  stalled: {
    label: "Stalled",
    shape: '<path d="M3.5 3v6M8.5 3v6" stroke="currentColor" stroke-width="2" />',
    color: "var(--warn)",
    isOpen: true,
    describe: (seconds) => `Stalled: last point ${ago(seconds)}`,
  },
  finished: {
    label: "Finished",
    shape: '<circle cx="6" cy="6" r="2.5" stroke="currentColor" stroke-width="1.6" />',
    color: "var(--ink-off)",
    isOpen: false,
    describe: (seconds) => `Finished ${ago(seconds)}`,
  },
};
