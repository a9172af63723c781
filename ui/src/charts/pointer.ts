/** Pointer input on an element: hover, click, drag and zoom with the wheel, in CSS pixels of the element. Knows nothing of what is drawn. */
import { clamp } from "./box";

export interface Place {
  x: number;
  y: number;
  shift: boolean;
}

/** Drag that is under way. `move` and `end` are called only after the pointer has left its starting point. */
export interface Drag {
  move(at: Place): void;
  end(at: Place): void;
  /** Called by Escape or when the browser takes the pointer away. */
  cancel(): void;
}

export interface PointerHandlers {
  hover(at: Place): void;
  leave(): void;
  /** Starts a drag with the left or the middle button. */
  drag?(at: Place, button: "left" | "middle"): Drag | null;
  /** Left click without a drag. Not called for the second click of a double click, nor for touch. */
  click?(at: Place): void;
  doubleClick?(): void;
  /** Wheel with Ctrl or Meta. A factor above 1 zooms out. */
  zoom?(at: Place, factor: number): void;
  /** Called when the wheel has come to rest. */
  zoomEnd?(): void;
  /** CSS cursor at a place. */
  cursor?(at: Place): string;
}

export interface PointerInput {
  /** Repeats the last hover, after what is under a resting pointer has changed. */
  repeatHover(): void;
  detach(): void;
}

/** Movement in pixels that turns a press into a drag. */
export const DRAG_PX = 4;
const WHEEL_REST_MS = 160;
/** Time for which the position of the element is reused. After a drawing, asking for it forces a layout of the page. */
const RECT_MS = 300;

export function attachPointer(target: HTMLElement, on: PointerHandlers): PointerInput {
  let resting: PointerEvent | null = null;
  let press: { from: Place; drag: Drag | null; moved: boolean } | null = null;
  let clickable = false;
  let wheelRest: ReturnType<typeof setTimeout> | undefined;
  let rect: DOMRect | null = null;
  let rectReadAt = 0;

  function placeOf(event: MouseEvent): Place {
    if (!rect || event.timeStamp - rectReadAt > RECT_MS)
      [rect, rectReadAt] = [target.getBoundingClientRect(), event.timeStamp];
    return { x: event.clientX - rect.left, y: event.clientY - rect.top, shift: event.shiftKey };
  }

  function down(event: PointerEvent): void {
    if (event.button > 1) return;
    const from = placeOf(event);
    // A finger scrolls vertically and reads values horizontally.
    if (event.pointerType === "touch") return on.hover(from);
    if (event.button === 1) event.preventDefault();
    press = { from, drag: on.drag?.(from, event.button === 1 ? "middle" : "left") ?? null, moved: false };
    target.setPointerCapture(event.pointerId);
  }

  function move(event: PointerEvent): void {
    // A finger that does not move may have been lifted.
    resting = event.pointerType === "touch" ? null : event;
    const at = placeOf(event);
    if (!press) {
      if (on.cursor) target.style.cursor = on.cursor(at);
      return on.hover(at);
    }
    press.moved ||= Math.hypot(at.x - press.from.x, at.y - press.from.y) > DRAG_PX;
    if (press.moved) press.drag?.move(at);
  }

  function up(event: PointerEvent): void {
    const ended = press;
    press = null;
    clickable = ended !== null && !ended.moved;
    if (ended?.moved) ended.drag?.end(placeOf(event));
  }

  function click(event: MouseEvent): void {
    // The browser counts clicks, because the system sets how fast a double click is.
    if (clickable && event.detail <= 1) on.click?.(placeOf(event));
  }

  function wheel(event: WheelEvent): void {
    if (!on.zoom || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    on.zoom(placeOf(event), Math.exp(clamp(event.deltaY, -60, 60) * 0.005));
    clearTimeout(wheelRest);
    wheelRest = setTimeout(() => on.zoomEnd?.(), WHEEL_REST_MS);
  }

  function cancel(): void {
    const { drag } = press ?? {};
    press = null;
    drag?.cancel();
  }

  function keydown(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !press) return;
    event.stopPropagation();
    cancel();
  }

  function leave(event: PointerEvent): void {
    resting = null;
    if (!press && event.pointerType !== "touch") on.leave();
  }

  const stop = new AbortController();
  const { signal } = stop;
  const forgetRect = (): void => void (rect = null);
  target.addEventListener("pointerenter", forgetRect, { signal });
  addEventListener("scroll", forgetRect, { signal, capture: true, passive: true });
  target.addEventListener("pointerdown", down, { signal });
  target.addEventListener("pointermove", move, { signal });
  target.addEventListener("pointerup", up, { signal });
  target.addEventListener("pointercancel", () => (cancel(), on.leave()), { signal });
  target.addEventListener("pointerleave", leave, { signal });
  target.addEventListener("click", click, { signal });
  target.addEventListener("dblclick", () => on.doubleClick?.(), { signal });
  target.addEventListener("wheel", wheel, { passive: false, signal });
  addEventListener("keydown", keydown, { capture: true, signal });
  return {
    repeatHover: () => resting && !press && move(resting),
    detach: () => {
      clearTimeout(wheelRest);
      stop.abort();
    },
  };
}
