/** Layout of one plot: the box of the data, its scales and ticks, and the way from values to pixels and back. */
import { type Box, clamp, heightOf, widthOf } from "./box";
import type { Scale } from "./scale";
import type { XKind } from "./tickLabels";
import type { Ticks } from "./ticks";

export interface FrameSpec {
  /** Size of the whole plot in CSS pixels. */
  width: number;
  height: number;
  /** Area of the data, without the axes. */
  box: Box;
  x: Scale;
  y: Scale;
  xKind: XKind;
  xTicks: Ticks;
  yTicks: Ticks;
  /** The same box with the second y axis, whose values are at the right. */
  right?: Frame;
}

export interface Frame extends FrameSpec {
  px(x: number): number;
  py(y: number): number;
  /** Value at a pixel. Outside the box, the value at its edge. */
  xAt(px: number): number;
  yAt(py: number): number;
}

export function makeFrame(spec: FrameSpec): Frame {
  const { box, x, y } = spec;
  const [width, height] = [widthOf(box), heightOf(box)];
  return {
    ...spec,
    px: (value) => box.left + x.at(value) * width,
    py: (value) => box.bottom - y.at(value) * height,
    xAt: (px) => x.value(clamp((px - box.left) / width, 0, 1)),
    yAt: (py) => y.value(clamp((box.bottom - py) / height, 0, 1)),
  };
}
