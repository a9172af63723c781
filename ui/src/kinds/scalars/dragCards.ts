/* Dragging of cards: by the header to another position in their group, by the corner to another size. */
import { type Group, PINNED } from "./groups";
import { CARD_HEIGHT, type Slot } from "./layout";
import { setTags } from "./customCharts";
import { order, pins, setCard, tagsOf } from "./settings.svelte";

const SLACK = 6;

export function dragToMove(down: PointerEvent, group: Group, tag: string): void {
  const header = down.currentTarget as HTMLElement;
  if (down.button !== 0 || down.pointerType === "touch" || (down.target as Element).closest("button, .menu")) return;
  const card = header.closest<HTMLElement>("[data-card]")!;
  let over: HTMLElement | null = null;
  let moving = false;

  follow(header, down, {
    move(event) {
      moving ||= Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > SLACK;
      if (!moving) return;
      card.style.cssText = `transform:translate(${event.clientX - down.clientX}px,${event.clientY - down.clientY}px);opacity:.8;pointer-events:none;z-index:5`;
      mark(over, "");
      over = cardUnder(event, event.shiftKey ? "" : `${group.id} `);
      mark(over, event.shiftKey ? "inset 0 0 0 2px var(--accent)" : "inset 3px 0 0 var(--accent)");
    },
    end(done) {
      card.style.cssText = "";
      mark(over, "");
      if (!moving || !done || !over) return;
      if (done.shiftKey) overlay(tag, over.dataset.card!);
      else drop(group, tag, over.dataset.card!);
    },
  });
}

function mark(card: HTMLElement | null, shadow: string): void {
  if (card) card.style.boxShadow = shadow;
}

/** Returns the card under the pointer if another card may be dropped on it. */
function cardUnder(event: PointerEvent, where: string): HTMLElement | null {
  const card = document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>("[data-card]");
  return card?.dataset.id?.startsWith(where) ? card : null;
}

/** Adds the tags of a chart to the target. */
export function overlay(card: string, target: string): void {
  setTags(target, [...new Set([...tagsOf(target), ...tagsOf(card)])]);
}

export function drop(group: Group, tag: string, target: string): void {
  const from = group.tags.indexOf(tag);
  const to = group.tags.indexOf(target);
  if (from === to || to < 0) return;
  // Dragged forward, a card lands after the one it is dropped on. Dragged back, it lands before it.
  const before = from < to ? (group.tags[to + 1] ?? null) : target;
  const next = moved(group.tags, tag, before);
  if (group.id === PINNED) pins.value = next;
  else {
    const kept = order.value.filter((other) => !group.tags.includes(other));
    order.value = [...kept, ...next.slice(0, Math.max(from, to) + 1)];
  }
}

export interface Grid {
  columns: number;
  gap: number;
  width: number;
}

export function dragToResize(down: PointerEvent, slot: Slot, grid: Grid): void {
  const corner = down.currentTarget as HTMLElement;
  down.stopPropagation();
  const size = (event: PointerEvent): { w: number | undefined; h: number | undefined } => {
    const unit = (grid.width + grid.gap) / grid.columns;
    const across = Math.round((slot.width + event.clientX - down.clientX + grid.gap) / unit);
    const rows = Math.round((slot.height + event.clientY - down.clientY + grid.gap) / (CARD_HEIGHT + grid.gap));
    const [w, h] = [Math.max(1, Math.min(across, grid.columns)), Math.max(1, Math.min(rows, 4))];
    return { w: w > 1 ? w : undefined, h: h > 1 ? h : undefined };
  };
  follow(corner, down, {
    move: (event) => setCard(slot.tag, size(event), true),
    end: (event) => event && setCard(slot.tag, size(event)),
  });
}

interface Drag {
  move(event: PointerEvent): void;
  /** Gets the last event, or null if the drag was canceled. */
  end(event: PointerEvent | null): void;
}

function follow(target: HTMLElement, down: PointerEvent, drag: Drag): void {
  target.setPointerCapture(down.pointerId);
  const stop = new AbortController();
  const { signal } = stop;
  const finish = (event: PointerEvent | null): void => {
    stop.abort();
    drag.end(event);
  };
  target.addEventListener("pointermove", (event) => drag.move(event), { signal });
  target.addEventListener("pointerup", (event) => finish(event), { signal });
  target.addEventListener("pointercancel", () => finish(null), { signal });
  addEventListener("keydown", (event) => event.key === "Escape" && finish(null), { signal });
}

/** Returns the tags with one of them moved before another. */
export function moved(tags: string[], tag: string, before: string | null): string[] {
  if (tag === before) return tags;
  const rest = tags.filter((other) => other !== tag);
  const at = before === null ? rest.length : rest.indexOf(before);
  rest.splice(at < 0 ? rest.length : at, 0, tag);
  return rest;
}
