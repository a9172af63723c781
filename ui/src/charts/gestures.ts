/** The hand on a chart: drag zooms x, Shift-drag y, a click sets the step cursor, its flag drags it, the middle button pans,
    Ctrl and the wheel zoom at the pointer, a double click resets. */
import type { Span } from "./box";
import type { Frame } from "./frame";
import { type Band, onStepFlag } from "./lines/overlay";
import { part } from "./scale";

export interface Hand {
  frame(): Frame | null;
  pinned(): number | null;
  hover(x: number, y: number): void;
  leave(): void;
  /** The step cursor: set, moved (not yet final), or taken away. */
  pin(x: number | null, final: boolean): void;
  band(band: Band | null): void;
  /** `final` is false while the gesture goes on. */
  zoomX(span: Span, final: boolean): void;
  zoomY(span: Span): void;
  reset(): void;
}

const SLACK = 4;
const WHEEL_REST_MS = 160;
/** How long a chart is taken to stay where it is. */
const PLACE_MS = 300;

interface Drag {
  kind: "zoom" | "pan" | "flag";
  fromX: number;
  fromY: number;
  moved: boolean;
  span: Span;
  pinBefore: number | null;
}

export interface Attached {
  /** What is under the pointer has changed, though it rests. */
  again(): void;
  detach(): void;
}

export function attach(target: HTMLElement, hand: Hand): Attached {
  let resting: PointerEvent | null = null;
  let drag: Drag | null = null;
  let pinBefore: number | null = null;
  let pressed = false;
  let wheelRest: ReturnType<typeof setTimeout> | undefined;

  // Where the chart is, asked for now and then: after each drawing the browser would lay the page out anew to tell.
  let rect: DOMRect | null = null;
  let readAt = 0;
  const forget = (): void => void (rect = null);
  const place = (event: MouseEvent): [number, number] => {
    if (!rect || event.timeStamp - readAt > PLACE_MS)
      [rect, readAt] = [target.getBoundingClientRect(), event.timeStamp];
    return [event.clientX - rect.left, event.clientY - rect.top];
  };
  const share = (frame: Frame, x: number): number => (x - frame.box.left) / (frame.box.right - frame.box.left);
  const xAt = (frame: Frame, x: number): number => frame.x.value(Math.max(0, Math.min(1, share(frame, x))));

  function down(event: PointerEvent): void {
    const frame = hand.frame();
    if (!frame || event.button > 1) return;
    const [x, y] = place(event);
    // A finger scrolls up and down, and reads values from side to side.
    if (event.pointerType === "touch") return hand.hover(x, y);
    if (event.button === 1) event.preventDefault();
    const onFlag = onStepFlag(frame, hand.pinned(), x, y);
    drag = {
      kind: event.button === 1 ? "pan" : onFlag ? "flag" : "zoom",
      fromX: x,
      fromY: y,
      moved: false,
      span: [frame.x.lo, frame.x.hi],
      pinBefore: hand.pinned(),
    };
    target.setPointerCapture(event.pointerId);
  }

  function move(event: PointerEvent): void {
    // A finger is not there any more when nothing moves.
    resting = event.pointerType === "touch" ? null : event;
    const frame = hand.frame();
    if (!frame) return;
    const [x, y] = place(event);
    if (!drag) {
      target.style.cursor = onStepFlag(frame, hand.pinned(), x, y) ? "ew-resize" : "";
      hand.hover(x, y);
      return;
    }
    drag.moved ||= Math.hypot(x - drag.fromX, y - drag.fromY) > SLACK;
    if (!drag.moved) return;
    if (drag.kind === "pan") hand.zoomX(panned(frame, drag, x), false);
    else if (drag.kind === "flag") hand.pin(xAt(frame, x), false);
    else hand.band(bandOf(frame, drag, x, y, event.shiftKey));
  }

  function up(event: PointerEvent): void {
    const frame = hand.frame();
    const ended = drag;
    drag = null;
    pressed = ended?.kind === "zoom" && !ended.moved;
    if (!ended || !frame) return;
    const [x, y] = place(event);
    hand.band(null);
    if (!ended.moved) return;
    if (ended.kind === "pan") hand.zoomX(panned(frame, ended, x), true);
    else if (ended.kind === "flag") hand.pin(xAt(frame, x), true);
    else zoomTo(frame, bandOf(frame, ended, x, y, event.shiftKey));
  }

  /** A click on the cursor itself takes it away. */
  function click(event: MouseEvent): void {
    const frame = hand.frame();
    // The second click of a double click is not a click of its own. The browser counts, because the system sets how far apart they may be.
    if (!pressed || !frame || event.detail > 1) return;
    const [x] = place(event);
    const pinned = hand.pinned();
    pinBefore = pinned;
    hand.pin(pinned !== null && Math.abs(frame.px(pinned) - x) <= SLACK ? null : xAt(frame, x), true);
  }

  function zoomTo(frame: Frame, band: Band): void {
    if (Math.abs(band.to - band.from) < SLACK) return;
    if (band.axis === "x") hand.zoomX(part(frame.x, share(frame, band.from), share(frame, band.to)), true);
    else {
      const up = (y: number): number => (frame.box.bottom - y) / (frame.box.bottom - frame.box.top);
      hand.zoomY(part(frame.y, up(band.from), up(band.to)));
    }
  }

  function panned(frame: Frame, from: Drag, x: number): Span {
    const by = ((x - from.fromX) / (frame.box.right - frame.box.left)) * (from.span[1] - from.span[0]);
    return [from.span[0] - by, from.span[1] - by];
  }

  function wheel(event: WheelEvent): void {
    const frame = hand.frame();
    if (!frame || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    const at = xAt(frame, place(event)[0]);
    const factor = Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.005);
    const span: Span = [at - (at - frame.x.lo) * factor, at + (frame.x.hi - at) * factor];
    hand.zoomX(span, false);
    clearTimeout(wheelRest);
    wheelRest = setTimeout(() => hand.zoomX(span, true), WHEEL_REST_MS);
  }

  function doubleClick(): void {
    // The first of the two clicks has moved the step cursor; it goes back.
    hand.pin(pinBefore, true);
    hand.reset();
  }

  function cancel(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !drag) return;
    event.stopPropagation();
    if (drag.kind === "flag") hand.pin(drag.pinBefore, true);
    if (drag.kind === "pan") hand.zoomX(drag.span, true);
    drag = null;
    hand.band(null);
  }

  function leave(event: PointerEvent): void {
    resting = null;
    if (!drag && event.pointerType !== "touch") hand.leave();
  }

  const stop = new AbortController();
  const { signal } = stop;
  target.addEventListener("pointerenter", forget, { signal });
  addEventListener("scroll", forget, { signal, capture: true, passive: true });
  target.addEventListener("pointerdown", down, { signal });
  target.addEventListener("pointermove", move, { signal });
  target.addEventListener("pointerup", up, { signal });
  target.addEventListener("pointercancel", () => ((drag = null), hand.band(null), hand.leave()), { signal });
  target.addEventListener("pointerleave", leave, { signal });
  target.addEventListener("click", click, { signal });
  target.addEventListener("dblclick", doubleClick, { signal });
  target.addEventListener("wheel", wheel, { passive: false, signal });
  addEventListener("keydown", cancel, { capture: true, signal });
  return {
    again: () => resting && !drag && move(resting),
    detach: () => {
      clearTimeout(wheelRest);
      stop.abort();
    },
  };
}

function bandOf(frame: Frame, drag: Drag, x: number, y: number, shift: boolean): Band {
  const { box } = frame;
  const clamp = (v: number, lo: number, hi: number): number => Math.max(lo, Math.min(hi, v));
  if (shift) return { axis: "y", from: clamp(drag.fromY, box.top, box.bottom), to: clamp(y, box.top, box.bottom) };
  return { axis: "x", from: clamp(drag.fromX, box.left, box.right), to: clamp(x, box.left, box.right) };
}
