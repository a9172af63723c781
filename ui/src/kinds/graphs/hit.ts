/* What is at a place of the picture. */
import { CELL_PX, cellWidth, FRAME } from "./boxText";
import { cellPlace } from "./drawGraph";
import type { Box, Picture } from "./picture";

export interface Hit {
  box: Box;
  /** One of the cells of equal blocks in the header. */
  member: number | null;
  /** Whether it is where a click folds or unfolds the box: the header, or the arrow. */
  isHandle: boolean;
}

const ARROW_PX = 28;

/** Returns the innermost box at a place in the plane. */
export function hitAt({ boxes }: Picture, x: number, y: number): Hit | null {
  const box = boxes.findLast((one) => x >= one.x && x <= one.x + one.width && y >= one.y && y <= one.y + one.height);
  if (!box) return null;
  return { box, member: memberAt(box, x, y), isHandle: isHandle(box, x, y) };
}

function isHandle({ x, y, width, isOpen }: Box, atX: number, atY: number): boolean {
  return isOpen ? atY < y + FRAME.top && atX < x + ARROW_PX : atX > x + width - ARROW_PX;
}

function memberAt(box: Box, x: number, y: number): number | null {
  if (!box.isOpen || !box.item.members || y > box.y + 8 + CELL_PX + 6) return null;
  const at = Math.floor((x - cellPlace(box, 0).x) / cellWidth(box.item));
  return at >= 0 && at < box.item.members.length ? at : null;
}
