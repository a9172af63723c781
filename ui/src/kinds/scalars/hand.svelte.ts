/* What only a hand needs (crosshair, tooltip, gestures, keys) is not part of the first load: it comes when a hand first moves. */
import { tick } from "svelte";
import { cursor } from "../../app/cursor.svelte";
import { dispatch } from "../../base/actions";

const SIGNS = ["pointermove", "pointerdown", "keydown"] as const;

class LaterHand {
  loaded = $state.raw<typeof import("./cursors.svelte") | null>(null);

  /** Waits for the first sign of a hand, or for a step cursor in the address. */
  expect(): () => void {
    const stop = new AbortController();
    const load = async (sign?: Event): Promise<void> => {
      stop.abort();
      this.loaded = await import("./cursors.svelte");
      await tick();
      // The key that woke it has its action only now.
      if (sign instanceof KeyboardEvent) dispatch(sign);
    };
    if (this.loaded) return () => {};
    if (cursor.pinned !== null) void load();
    else for (const sign of SIGNS) addEventListener(sign, (event) => void load(event), { signal: stop.signal });
    return () => stop.abort();
  }
}

export const hand = new LaterHand();
