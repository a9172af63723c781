/* Loads pointer and keyboard interaction (crosshair, tooltip, gestures, shortcuts) on first use. */
import { tick } from "svelte";
import { cursor } from "../../app/cursor.svelte";
import { dispatch, isHeld } from "../../base/actions";

class LazyInteraction {
  loaded = $state.raw<typeof import("./cursors.svelte") | null>(null);

  /** Waits for the first pointer or key event, or for a pinned step in the URL. */
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
        loading = false; // The server is disconnected, which the header shows. The next event tries again.
        return;
      }
      await tick();
      stop.abort();
      // Events that arrived before the code was loaded.
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
