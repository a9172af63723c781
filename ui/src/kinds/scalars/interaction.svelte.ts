/* What only a hand needs (crosshair, tooltip, gestures, keys) is not part of the first load: it comes when a hand first moves. */
import { tick } from "svelte";
import { cursor } from "../../app/cursor.svelte";
import { dispatch, isHeld } from "../../base/actions";

class LazyInteraction {
  loaded = $state.raw<typeof import("./cursors.svelte") | null>(null);

  /** Waits for the first sign of a hand, or for a step cursor in the address. */
  expect(): () => void {
    if (this.loaded) return () => {};
    const stop = new AbortController();
    const keys: KeyboardEvent[] = [];
    let pointer: PointerEvent | undefined;
    let loading = false;
    const load = async (): Promise<void> => {
      if (loading) return;
      loading = true;
      try {
        this.loaded = await import("./cursors.svelte");
      } catch {
        loading = false; // The server does not answer, which the board says; the next move asks again.
        return;
      }
      await tick();
      stop.abort();
      // What was typed meanwhile has its actions only now, and the pointer the chart that it rests on.
      keys.forEach(dispatch);
      if (pointer) pointer.target?.dispatchEvent(new PointerEvent("pointermove", pointer));
    };
    const { signal } = stop;
    const onkeydown = (event: KeyboardEvent): void => {
      if (!isHeld(event)) keys.push(event);
      void load();
    };
    addEventListener("keydown", onkeydown, { signal });
    const onpointer = (event: PointerEvent): void => {
      pointer = event;
      void load();
    };
    for (const sign of ["pointermove", "pointerdown"] as const)
      addEventListener(sign, onpointer, { signal, passive: true });
    if (cursor.pinned !== null) void load();
    return () => stop.abort();
  }
}

export const interaction = new LazyInteraction();
