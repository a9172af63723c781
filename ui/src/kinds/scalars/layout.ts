/* Where every card lies, without asking the page: so that of ten thousand cards only those near the screen exist. */
import type { Group } from "./groups";

export interface Size {
  /** In columns. */
  w: number;
  /** In rows of the usual height. */
  h: number;
}

export interface Slot {
  tag: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Section {
  group: Group;
  open: boolean;
  x: number;
  y: number;
  width: number;
  height: number;
  slots: Slot[];
}

export interface LayoutSpec {
  groups: Group[];
  closed: ReadonlySet<string>;
  size(tag: string): Size;
  width: number;
  columns: number;
  gap: number;
  cardHeight: number;
}

export const HEAD = 36;
const AFTER_GROUP = 4;
const NARROWEST = 340;

/** As many columns as fit at 340 px, unless the user said how many; never cards too narrow to read. */
export function columnCount(width: number, gap: number, wanted: number): number {
  const fitting = Math.max(1, Math.floor((width + gap) / (NARROWEST + gap)));
  const readable = Math.max(1, Math.floor((width + gap) / (200 + gap)));
  return wanted > 0 ? Math.min(wanted, readable) : fitting;
}

/** Groups of fewer cards than a row holds stand side by side; every other has the whole width. */
export function layOut(spec: LayoutSpec): Section[] {
  const unit = (spec.width + spec.gap) / spec.columns;
  const sections: Section[] = [];
  let y = 0;
  let taken = spec.columns;
  let row: Section[] = [];
  for (const group of spec.groups) {
    const open = !spec.closed.has(group.id);
    const [slots, end] = open ? place(group.tags, spec) : [[], 0];
    const across = open ? group.tags.reduce((sum, tag) => sum + spec.size(tag).w, 0) : spec.columns;
    if (taken + across > spec.columns) {
      y = totalHeight(sections) && totalHeight(sections) + AFTER_GROUP;
      taken = 0;
      row = [];
    }
    const height = Math.max(HEAD + end, row[0]?.height ?? 0);
    row.push({
      group,
      open,
      x: taken * unit,
      y,
      width: Math.min(across, spec.columns) * unit - spec.gap,
      height,
      slots,
    });
    // All of a row are as tall as the tallest, so that the order of the sections is one from above to below.
    for (const section of row) section.height = height;
    sections.push(row.at(-1)!);
    taken += across;
  }
  return sections;
}

/** Row by row from the left; a row is as tall as its tallest card. */
function place(tags: string[], spec: LayoutSpec): [Slot[], number] {
  const unit = (spec.width - spec.gap * (spec.columns - 1)) / spec.columns;
  const slots: Slot[] = [];
  let y = HEAD;
  let column = 0;
  let tallest = 0;
  for (const tag of tags) {
    const size = spec.size(tag);
    const w = Math.min(size.w, spec.columns);
    if (column + w > spec.columns) {
      y += tallest + spec.gap;
      column = 0;
      tallest = 0;
    }
    const height = size.h * spec.cardHeight + (size.h - 1) * spec.gap;
    slots.push({ tag, x: column * (unit + spec.gap), y, width: w * unit + (w - 1) * spec.gap, height });
    tallest = Math.max(tallest, height);
    column += w;
  }
  return [slots, y - HEAD + tallest];
}

export function totalHeight(sections: Section[]): number {
  const last = sections.at(-1);
  return last ? last.y + last.height : 0;
}

/** The sections, and of each the slots, that touch the span from top to bottom. */
export function within(sections: Section[], top: number, bottom: number): { section: Section; slots: Slot[] }[] {
  return sections
    .slice(
      firstAt(sections, (s) => s.y + s.height >= top),
      firstAt(sections, (s) => s.y > bottom),
    )
    .map((section) => ({ section, slots: slotsWithin(section, top - section.y, bottom - section.y) }));
}

function slotsWithin({ slots }: Section, top: number, bottom: number): Slot[] {
  const from = firstAt(slots, (slot) => slot.y + slot.height >= top);
  const to = firstAt(slots, (slot) => slot.y > bottom);
  // A tall card may begin a row above the first that is found by height alone.
  const rowStart = slots.findIndex((slot) => slot.y === slots[Math.min(from, slots.length - 1)]?.y);
  return slots.slice(Math.max(0, Math.min(from, rowStart)), to);
}

/** The first index where `test` holds, given that it goes on holding. */
function firstAt<T>(items: T[], test: (item: T) => boolean): number {
  let lo = 0;
  let hi = items.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (test(items[mid]!)) hi = mid;
    else lo = mid + 1;
  }
  return lo;
}
