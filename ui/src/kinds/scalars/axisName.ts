/* Name of an x axis in captions and tables. Not in settings.svelte.ts, because the first load does not need it. */
import type { XAxis } from "../../api/types";

export function axisName(axis: XAxis): string {
  if (typeof axis !== "string") return axis.tag;
  return { step: "step", relative: "relative time", wall: "wall time" }[axis];
}
