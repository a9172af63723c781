/** Layout of parallel coordinates in a size. */
import type { Span } from "../../charts/box";
import type { Theme } from "../../charts/theme";
import { makeAxis } from "./axis";
import { brushedParts } from "./brush";
import type { HParamsModel } from "./model.svelte";
import type { ParallelScene } from "./parallel";

interface Layout {
  width: number;
  height: number;
  isVertical: boolean;
  theme: Theme;
}

/** Titles of axes that are closer than this stand in two rows. */
const TITLE_PX = 110;
const TITLE_ROW_PX = 18;

/** Distances from the edges: of the axes across, and of their ends. */
const ACROSS = { horizontal: [56, 60], vertical: [52, 34] } as const;
const ALONG = { horizontal: [46, 14], vertical: [12, 12] } as const;

export function makeParallelScene(model: HParamsModel, { width, height, isVertical, theme }: Layout): ParallelScene {
  const side = isVertical ? "vertical" : "horizontal";
  const [before, after] = ACROSS[side];
  const [top, end] = ALONG[side];
  const across: Span = [before, (isVertical ? height : width) - after];
  const start = top + (!isVertical && isStaggered(across, model.axes.length) ? TITLE_ROW_PX : 0);
  const length = Math.max(40, (isVertical ? width : height) - start - end);
  // On lying axes, small values are at the left.
  const axes = model.axes.map((column) => {
    const options = model.optionsOf(column);
    return makeAxis(
      column,
      model.ranked,
      length,
      isVertical ? { ...options, isFlipped: !options.isFlipped, tickPx: 80 } : options,
    );
  });
  return {
    axes,
    isVertical,
    across,
    start,
    width,
    height,
    faint: model.faint,
    bright: model.bright,
    colors: model.colors,
    brushed: axes.map((axis) =>
      model.brushes[axis.column.id] ? brushedParts(axis, model.brushes[axis.column.id]!) : [],
    ),
    theme,
  };
}

const gapOf = ([from, to]: Span, axes: number): number => (to - from) / Math.max(1, axes - 1);

const isStaggered = (across: Span, axes: number): boolean => gapOf(across, axes) < TITLE_PX;

/** Position of the title of an axis. */
export const titleTop = ({ across, axes }: ParallelScene, i: number): number =>
  isStaggered(across, axes.length) && i % 2 ? TITLE_ROW_PX : 0;

export function titleWidth({ across, axes }: ParallelScene): number {
  const gap = gapOf(across, axes.length);
  return (isStaggered(across, axes.length) ? 2 * gap : gap) - 8;
}
