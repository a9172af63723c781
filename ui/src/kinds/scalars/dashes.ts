/* Dashes of lines: one for each tag of a chart. The first is solid. */
const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

export function dashOf(index: number): readonly number[] {
  return DASHES[Math.max(0, index) % DASHES.length]!;
}
