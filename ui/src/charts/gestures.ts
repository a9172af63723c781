/** Gestures on a plot with axes. Drag zooms x, Shift-drag y, the middle button pans, Ctrl and the wheel zoom at the pointer,
    a double click resets. A click pins a step, and the flag of the pinned step can be dragged. */
import { type Span, widthOf } from "./box";
import { isOnPinnedFlag } from "./crosshair";
import type { Frame } from "./frame";
import { attachPointer, type Drag, DRAG_PX, type Place, type PointerInput } from "./pointer";
import { makeZoomBand, valuesOf, type ZoomBand } from "./zoomBand";

export interface GestureHandlers {
  frame(): Frame | null;
  pinned(): number | null;
  hover(px: number, py: number): void;
  leave(): void;
  /** Pins a step, or unpins it. `final` is false while the flag is dragged. */
  pin(x: number | null, final: boolean): void;
  band(band: ZoomBand | null): void;
  /** `final` is false during the gesture. */
  zoomX(span: Span, final: boolean): void;
  zoomY(span: Span): void;
  reset(): void;
}

export function attachGestures(target: HTMLElement, on: GestureHandlers): PointerInput {
  let pinnedBeforeClick: number | null = null;
  let wheelSpan: Span | null = null;

  function click({ x, y }: Place): void {
    const frame = on.frame();
    const pinned = on.pinned();
    if (!frame || isOnPinnedFlag(frame, pinned, x, y)) return;
    pinnedBeforeClick = pinned;
    const isOnLine = pinned !== null && Math.abs(frame.px(pinned) - x) <= DRAG_PX;
    on.pin(isOnLine ? null : frame.xAt(x), true);
  }

  return attachPointer(target, {
    hover: ({ x, y }) => on.hover(x, y),
    leave: () => on.leave(),
    click,
    drag(from, button) {
      const frame = on.frame();
      if (!frame) return null;
      if (button === "middle") return dragToPan(on, frame, from);
      return isOnPinnedFlag(frame, on.pinned(), from.x, from.y) ? dragPinned(on) : dragToZoom(on, from);
    },
    doubleClick() {
      // Undoes the pin of the first of the two clicks.
      on.pin(pinnedBeforeClick, true);
      on.reset();
    },
    zoom({ x }, factor) {
      const frame = on.frame();
      if (!frame) return;
      const at = frame.xAt(x);
      wheelSpan = [at - (at - frame.x.lo) * factor, at + (frame.x.hi - at) * factor];
      on.zoomX(wheelSpan, false);
    },
    zoomEnd: () => wheelSpan && on.zoomX(wheelSpan, true),
    cursor({ x, y }) {
      const frame = on.frame();
      return frame && isOnPinnedFlag(frame, on.pinned(), x, y) ? "ew-resize" : "";
    },
  });
}

function dragToPan(on: GestureHandlers, { box, x: { lo, hi } }: Frame, from: Place): Drag {
  const panned = ({ x }: Place): Span => {
    const by = ((x - from.x) / widthOf(box)) * (hi - lo);
    return [lo - by, hi - by];
  };
  return {
    move: (at) => on.zoomX(panned(at), false),
    end: (at) => on.zoomX(panned(at), true),
    cancel: () => on.zoomX([lo, hi], true),
  };
}

function dragPinned(on: GestureHandlers): Drag {
  const before = on.pinned();
  const pinAt = ({ x }: Place, final: boolean): void => {
    const frame = on.frame();
    if (frame) on.pin(frame.xAt(x), final);
  };
  return {
    move: (at) => pinAt(at, false),
    end: (at) => pinAt(at, true),
    cancel: () => on.pin(before, true),
  };
}

function dragToZoom(on: GestureHandlers, from: Place): Drag {
  const bandTo = (frame: Frame, { x, y, shift }: Place): ZoomBand =>
    makeZoomBand(frame.box, shift ? "y" : "x", [from.x, from.y], [x, y]);
  return {
    move(at) {
      const frame = on.frame();
      if (frame) on.band(bandTo(frame, at));
    },
    end(at) {
      on.band(null);
      const frame = on.frame();
      if (!frame) return;
      const band = bandTo(frame, at);
      if (Math.abs(band.to - band.from) < DRAG_PX) return;
      if (band.axis === "x") on.zoomX(valuesOf(frame, band), true);
      else on.zoomY(valuesOf(frame, band));
    },
    cancel: () => on.band(null),
  };
}
