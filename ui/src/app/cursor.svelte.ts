/* The two cursors that all cards and views share: the pointer's crosshair, which passes, and the step cursor, set by a click. */
import type { XAxis } from "../api/types";
import { type Codec, param } from "../base/url";

const stepCodec: Codec<number | null> = {
  encode: (step) => (step === null ? "" : String(step)),
  decode: (words) => (words === "" || Number.isNaN(Number(words)) ? null : Number(words)),
};

const at = param<number | null>("at", stepCodec, null);

class Cursor {
  /** Where the pointer is, in units of `axis`. */
  x = $state<number | null>(null);
  axis = $state<XAxis>("step");
  /** The card that the pointer is on. */
  source = $state("");

  /** The step cursor; in the address, because every view follows it. */
  get pinned(): number | null {
    return at.value;
  }

  set pinned(step: number | null) {
    at.value = step;
  }

  /** While it is dragged. */
  previewPinned(step: number): void {
    at.preview(step);
  }
}

export const cursor = new Cursor();
