/* Ways along the edges of the picture: to the next box by keyboard, and to everything before or after a box. */
import type { Box, Line, Picture } from "./picture";

export type Direction = "up" | "down" | "left" | "right";

/** Returns the box that an arrow key leads to: along an edge up or down, or to a neighbor in the same scope. */
export function neighbor(picture: Picture, from: Box | null, direction: Direction): Box | null {
  if (!from) return topmost(picture.boxes.filter(({ depth }) => depth === 0));
  if (direction === "left" || direction === "right") return beside(picture, from, direction);
  const next = direction === "down" ? after(picture.lines, from, true) : before(picture.lines, from, true);
  return nearest(next, from) ?? nearestRow(picture, from, direction);
}

/** Boxes that follow. From an open box that is its content, if `into` is set. From the last box of a scope it is what follows the scope. */
export function after(lines: Line[], box: Box, into: boolean): Box[] {
  const inside = into && box.isOpen ? lines.filter(({ from, kind }) => kind === "enters" && from === box) : [];
  if (inside.length) return inside.map(({ to }) => to);
  const own = lines.filter(({ from, kind }) => from === box && kind !== "enters");
  return own.flatMap(({ to, kind }) => (kind === "leaves" ? after(lines, to, false) : [to]));
}

export function before(lines: Line[], box: Box, into: boolean): Box[] {
  const inside = into && box.isOpen ? lines.filter(({ to, kind }) => kind === "leaves" && to === box) : [];
  if (inside.length) return inside.map(({ from }) => from);
  const own = lines.filter(({ to, kind }) => to === box && kind !== "leaves");
  return own.flatMap(({ from, kind }) => (kind === "enters" ? before(lines, from, false) : [from]));
}

const middle = ({ x, width }: Box): number => x + width / 2;

function nearest(boxes: Box[], to: Box): Box | null {
  return boxes.reduce<Box | null>(
    (best, box) => (best && Math.abs(middle(best) - middle(to)) <= Math.abs(middle(box) - middle(to)) ? best : box),
    null,
  );
}

function beside({ boxes }: Picture, from: Box, direction: "left" | "right"): Box | null {
  const sign = direction === "left" ? -1 : 1;
  const candidates = boxes.filter(
    (box) =>
      box !== from &&
      box.parent === from.parent &&
      box.y < from.y + from.height &&
      from.y < box.y + box.height &&
      sign * (middle(box) - middle(from)) > 0,
  );
  return nearest(candidates, from);
}

/** Boxes without edges are reached by their place. */
function nearestRow({ boxes }: Picture, from: Box, direction: "up" | "down"): Box | null {
  const sign = direction === "up" ? -1 : 1;
  const candidates = boxes.filter((box) => box.parent === from.parent && sign * (box.y - from.y) > from.height / 2);
  const row = Math.min(...candidates.map((box) => sign * (box.y - from.y)));
  return nearest(
    candidates.filter((box) => sign * (box.y - from.y) < row + 1),
    from,
  );
}

function topmost(boxes: Box[]): Box | null {
  return boxes.reduce<Box | null>((best, box) => (best && best.y <= box.y ? best : box), null);
}
