/* What only a hand needs (crosshair, tooltip, gestures) is not part of the first load: it comes when a hand first moves. */
import { cursor } from "../../app/cursor.svelte";

const SIGNS = ["pointermove", "pointerdown", "keydown"] as const;

class LaterHand {
  loaded = $state.raw<typeof import("./cursors.svelte") | null>(null);

  /** Waits for the first sign of a hand, or for a step cursor in the address. */
  expect(): () => void {
    const stop = new AbortController();
    const load = async (): Promise<void> => {
      stop.abort();
      this.loaded = await import("./cursors.svelte");
    };
    if (this.loaded) return () => {};
    if (cursor.pinned !== null) void load();
    else for (const sign of SIGNS) addEventListener(sign, () => void load(), { passive: true, signal: stop.signal });
    return () => stop.abort();
  }
}

export const hand = new LaterHand();
