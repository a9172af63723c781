/* The crosshair under the pointer and the pinned step, which all cards and views share. */
import type { XAxis } from "../api/types";
import { type Codec, param } from "../base/url";

const stepCodec: Codec<number | null> = {
  encode: (step) => (step === null ? "" : String(step)),
  decode: (words) => (words === "" || Number.isNaN(Number(words)) ? null : Number(words)),
};

const at = param<number | null>("at", stepCodec, null);

class Cursor {
  /** Position of the crosshair, in units of `axis`. */
  x = $state<number | null>(null);
  axis = $state<XAxis>("step");
  /** The card under the pointer. */
  source = $state("");

  /** The pinned step. It is in the URL, because every view follows it. */
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
