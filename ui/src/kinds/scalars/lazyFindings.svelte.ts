/* Findings on charts. Their code loads when a run has findings. */
import { board } from "../../app/board.svelte";

class LazyFindings {
  loaded = $state.raw<typeof import("./findingMarks.svelte")>();

  /** Loads the code if it is needed. Call it in an effect. */
  load(): void {
    // Without a connection, which the header shows, the next reading of the board tries again.
    if (board.runs.some((run) => run.findings))
      import("./findingMarks.svelte").then(
        (code) => (this.loaded = code),
        () => undefined,
      );
  }
}

export const lazyFindings = new LazyFindings();
