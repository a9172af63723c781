/* Everything that a box depends on, or that depends on it, along the edges of the picture. */
import type { Box, Picture } from "./picture";
import { after, before } from "./reach";

/** Returns the boxes on the way, with the open boxes around them. */
export function traced({ lines }: Picture, start: Box, toInputs: boolean): Set<Box> {
  const found = new Set<Box>([start]);
  const waiting = [start];
  while (waiting.length) {
    const box = waiting.pop()!;
    for (const next of toInputs ? before(lines, box, true) : after(lines, box, true)) {
      if (found.has(next)) continue;
      found.add(next);
      waiting.push(next);
    }
  }
  for (const box of [...found]) for (let { parent } = box; parent; { parent } = parent) found.add(parent);
  return found;
}
