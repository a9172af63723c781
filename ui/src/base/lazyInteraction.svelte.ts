/* Loads code that only pointer and keyboard need with their first event. */
import { tick } from "svelte";
import { dispatch, isHeld } from "./actions";

/** Whether there was any event yet. A view that opens later loads at once: the palette may be waiting for its actions. */
let isInUse = false;

export class LazyInteraction<T> {
  loaded = $state.raw<T | null>(null);
  #load: () => Promise<T>;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  /** Waits for the first pointer or key event of the page, or loads at once with `now`. Then it repeats the events that came too early: the
      last position of the pointer, and keys as shortcuts. Returns a function that stops waiting. */
  expect(now = false): () => void {
    if (this.loaded) return () => {};
    const stop = new AbortController();
    const keys: KeyboardEvent[] = [];
    let pointer: PointerEvent | undefined;
    let isLoading = false;

    const start = async (): Promise<void> => {
      if (isLoading) return;
      isLoading = true;
      try {
        this.loaded = await this.#load();
      } catch {
        isLoading = false; // The server is disconnected, which the header shows. The next event tries again.
        return;
      }
      await tick();
      stop.abort();
      // The pointer first: a shortcut may act on the chart under it.
      pointer?.target?.dispatchEvent(new PointerEvent("pointermove", pointer));
      keys.forEach(dispatch);
    };
    const listen = (event: Event): void => {
      isInUse = true;
      if (event instanceof PointerEvent) pointer = event;
      else if (event instanceof KeyboardEvent && !isHeld(event)) keys.push(event);
      void start();
    };
    for (const type of ["keydown", "pointermove", "pointerdown"])
      addEventListener(type, listen, { signal: stop.signal, passive: true });
    if (now || isInUse) void start();
    return () => stop.abort();
  }
}
