/** Returns the rows of a virtual list that exist: those in the viewport and some beyond each edge, so that fast scrolling shows no gap. */
export const rowWindow = (
  count: number,
  rowHeight: number,
  top: number,
  height: number,
  spare = 8,
): [first: number, last: number] => [
  Math.max(0, Math.floor(top / rowHeight) - spare),
  Math.min(count, Math.ceil((top + height) / rowHeight) + spare),
];
