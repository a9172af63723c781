/** Gestures on a picture without axes, such as a point cloud: drag, pinch, wheel, click and hover, by mouse, pen and touch.
    Places are in CSS pixels of the element. What a drag does is up to the picture. */
import { clamp } from "./box";
import { type Drag, DRAG_PX, type Place } from "./pointer";

export interface ViewportHandlers {
  hover(at: Place): void;
  leave(): void;
  click(at: Place): void;
  doubleClick(): void;
  /** Starts a drag. `isMiddle` for the middle button. */
  drag(from: Place, isMiddle: boolean): Drag;
  /** Two fingers moved, or the wheel turned: scales by `factor` around `at` and moves by `dx`, `dy`. A factor above 1 zooms in. */
  zoom(at: Place, factor: number, dx: number, dy: number): void;
}

/** Zoom per pixel of the wheel. A notch of a mouse wheel is 100 pixels, of which at most 60 count. */
const WHEEL_SPEED = 0.005;
const MAX_WHEEL_PX = 60;

export function attachViewport(target: HTMLElement, on: ViewportHandlers): () => void {
  const fingers = new Map<number, Place>();
  let press: { from: Place; drag: Drag; moved: boolean } | null = null;
  let clickable = false;

  function placeOf(event: MouseEvent): Place {
    const { left, top } = target.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top, shift: event.shiftKey };
  }

  function down(event: PointerEvent): void {
    if (event.button > 1) return;
    if (event.button === 1) event.preventDefault();
    target.setPointerCapture(event.pointerId);
    const from = placeOf(event);
    fingers.set(event.pointerId, from);
    if (fingers.size > 1) cancel();
    else press = { from, drag: on.drag(from, event.button === 1), moved: false };
  }

  function move(event: PointerEvent): void {
    const at = placeOf(event);
    const before = fingers.get(event.pointerId);
    if (before === undefined) return on.hover(at);
    const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    fingers.set(event.pointerId, at);
    if (others.length) return pinch(others[0]!, before, at);
    if (!press) return;
    press.moved ||= Math.hypot(at.x - press.from.x, at.y - press.from.y) > DRAG_PX;
    if (press.moved) press.drag.move(at);
  }

  function pinch(still: Place, before: Place, at: Place): void {
    const distance = (place: Place): number => Math.max(1, Math.hypot(place.x - still.x, place.y - still.y));
    const middle = { x: (still.x + before.x) / 2, y: (still.y + before.y) / 2, shift: false };
    on.zoom(middle, distance(at) / distance(before), (at.x - before.x) / 2, (at.y - before.y) / 2);
  }

  function up(event: PointerEvent): void {
    fingers.delete(event.pointerId);
    const ended = press;
    press = null;
    clickable = ended !== null && !ended.moved;
    if (ended?.moved) ended.drag.end(placeOf(event));
  }

  function cancel(): void {
    const ended = press;
    press = null;
    clickable = false;
    if (ended?.moved) ended.drag.cancel();
  }

  function wheel(event: WheelEvent): void {
    event.preventDefault();
    const turned = clamp(event.deltaY, -MAX_WHEEL_PX, MAX_WHEEL_PX);
    on.zoom(placeOf(event), Math.exp(-turned * WHEEL_SPEED), 0, 0);
  }

  function keydown(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !press?.moved) return;
    event.stopPropagation();
    cancel();
  }

  const stop = new AbortController();
  const { signal } = stop;
  target.addEventListener("pointerdown", down, { signal });
  target.addEventListener("pointermove", move, { signal });
  target.addEventListener("pointerup", up, { signal });
  target.addEventListener("pointercancel", (event) => (fingers.delete(event.pointerId), cancel()), { signal });
  target.addEventListener("pointerleave", () => fingers.size === 0 && on.leave(), { signal });
  // The browser counts clicks, because the system sets how fast a double click is.
  target.addEventListener("click", (event) => clickable && event.detail <= 1 && on.click(placeOf(event)), { signal });
  target.addEventListener("dblclick", () => on.doubleClick(), { signal });
  target.addEventListener("wheel", wheel, { passive: false, signal });
  addEventListener("keydown", keydown, { capture: true, signal });
  return () => stop.abort();
}
