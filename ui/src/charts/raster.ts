/** Images painted pixel by pixel in the colors of a ramp. Filling thousands of rectangles would take longer than a frame. */
import type { Ramp } from "./theme";

const known = new WeakMap<Ramp, Uint32Array>();

/** Returns the colors of a ramp as opaque pixels. */
export function rampPixels(ramp: Ramp): Uint32Array {
  let pixels = known.get(ramp);
  if (!pixels) known.set(ramp, (pixels = Uint32Array.from(ramp, (color) => pixelOf(color))));
  return pixels;
}

/** Returns a color (`#rrggbb`, or `#rgb` as minified style sheets have it) as one pixel of image data, in the byte order of the machine. */
export function pixelOf(color: string, opacity = 1): number {
  const bytes = Uint8ClampedArray.of(0, 0, 0, 255 * opacity);
  const digits = color.length === 4 ? color.replace(/[^#]/g, "$&$&") : color;
  for (const i of [0, 1, 2]) bytes[i] = Number.parseInt(digits.slice(1 + 2 * i, 3 + 2 * i), 16);
  return new Uint32Array(bytes.buffer)[0]!;
}

/** Paints a canvas of that many pixels, by default a new one. `fill` gets the pixels row by row, all transparent. */
export function paintRaster(
  width: number,
  height: number,
  fill: (pixels: Uint32Array) => void,
  canvas = document.createElement("canvas"),
): HTMLCanvasElement {
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  const image = context.createImageData(width, height);
  fill(new Uint32Array(image.data.buffer));
  context.putImageData(image, 0, 0);
  return canvas;
}
