/* Position of a popover: below its anchor and aligned with its left edge, on the other side if there is no space, and always within
   the window. */

export type Anchor = Element | { x: number; y: number };

const GAP = 4;
const MARGIN = 8;

export function place(floating: HTMLElement, anchor: Anchor, beside = false): void {
  const box = anchor instanceof Element ? anchor.getBoundingClientRect() : new DOMRect(anchor.x, anchor.y, 0, 0);
  const { offsetWidth: width, offsetHeight: height } = floating;
  const left = beside
    ? room(box.right + GAP, box.left - width - GAP, width, innerWidth)
    : room(box.left, box.right - width, width, innerWidth);
  const top = beside ? box.top - GAP - 1 : room(box.bottom + GAP, box.top - height - GAP, height, innerHeight);
  floating.style.left = `${clamp(left, width, innerWidth)}px`;
  floating.style.top = `${clamp(top, height, innerHeight)}px`;
}

function room(first: number, second: number, size: number, limit: number): number {
  return first + size <= limit - MARGIN || second < MARGIN ? first : second;
}

function clamp(at: number, size: number, limit: number): number {
  return Math.max(MARGIN, Math.min(at, limit - size - MARGIN));
}
