/** Rows of a virtual list that exist: those in the viewport and some beyond each edge, so that fast scrolling shows no gap. */
export function rowWindow(
  count: number,
  { top, height, rowHeight, spare = 8 }: { top: number; height: number; rowHeight: number; spare?: number },
): [first: number, last: number] {
  return [
    Math.max(0, Math.floor(top / rowHeight) - spare),
    Math.min(count, Math.ceil((top + height) / rowHeight) + spare),
  ];
}
