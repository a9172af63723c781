/* The two cursors that all cards and views share: the pointer's crosshair, which passes, and the step cursor, set by a click. */
import type { XAxis } from "../api/types";

class Cursor {
  /** Where the pointer is, in units of `axis`. */
  x = $state<number | null>(null);
  axis = $state<XAxis>("step");
  /** The card that the pointer is on. */
  source = $state("");
  pinned = $state<number | null>(null);
}

export const cursor = new Cursor();
