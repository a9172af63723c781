/** Loads the details of line charts (marks, density, printed values) when a chart first needs them. They are not part of the first load. */
import type { LineScene } from "./scene";

export type Details = typeof import("./details");

let loaded: Details | undefined;

/** Returns the details, or undefined until they are loaded. */
export const details = (): Details | undefined => loaded;

export async function loadDetails(): Promise<void> {
  loaded ??= await import("./details");
}

/** Loads the details if the scene needs them, and then calls `redraw`. */
export function loadDetailsFor(scene: LineScene, redraw: () => void): void {
  if (loaded || !needsDetails(scene)) return;
  // Without a connection, which the header shows, the next drawing tries again.
  loadDetails().then(redraw, () => undefined);
}

function needsDetails({ data, findings, frame: { y }, right }: LineScene): unknown {
  const isOutside = (value: number): boolean => value < y.lo || value > y.hi;
  return (
    data.density !== undefined ||
    right !== undefined ||
    findings?.length ||
    data.lines.some(
      ({ best, group, marks, restarts, points, raw, lo = raw, hi = raw }) =>
        best !== undefined ||
        group !== undefined ||
        marks.length ||
        restarts.length ||
        points === 1 ||
        lo.some(isOutside) ||
        hi.some(isOutside),
    )
  );
}
