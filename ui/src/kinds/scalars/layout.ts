/* Positions of all cards, computed without the DOM. So of ten thousand cards, only those near the viewport exist. */
import type { Group } from "./groups";

export interface Size {
  /** In columns. */
  w: number;
  /** In rows of the default height. */
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
}

/** Height of a card with the default size, in pixels. */
export const CARD_HEIGHT = 246;
/** Height of a group's head, in pixels. */
const HEAD = 36;
const AFTER_GROUP = 4;
const MIN_WIDTH = 340;

/** Returns as many columns as fit at 340 px, or the number that the user set, unless the cards would be too narrow to read. */
export function columnCount(width: number, gap: number, wanted: number): number {
  const fitting = Math.max(1, Math.floor((width + gap) / (MIN_WIDTH + gap)));
  const readable = Math.max(1, Math.floor((width + gap) / (200 + gap)));
  return wanted > 0 ? Math.min(wanted, readable) : fitting;
}

/** Groups with few cards are side by side in one row. Other groups have the full width. */
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
    // All groups of a row have the same height, so sections are ordered by their position.
    for (const section of row) section.height = height;
    sections.push(row.at(-1)!);
    taken += across;
  }
  return sections;
}

/** Places cards in rows from the left. A row is as tall as its tallest card. */
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
    const height = size.h * CARD_HEIGHT + (size.h - 1) * spec.gap;
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

/** Returns the sections and their slots between top and bottom. */
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
  // A tall card may start in a row above the first one that was found.
  const rowStart = slots.findIndex((slot) => slot.y === slots[Math.min(from, slots.length - 1)]?.y);
  return slots.slice(Math.max(0, Math.min(from, rowStart)), to);
}

/** Returns the first index for which `test` holds, if it holds for all later ones. */
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
