/* Colors of weights, measures and differences. */
import { clamp } from "../../charts/box";
import { pixelOf } from "../../charts/raster";
import type { Ramp } from "../../charts/theme";

const STEPS = 256;
/** WCAG AA for text. */
const MIN_CONTRAST = 4.5;

const known = new WeakMap<Ramp, Uint32Array>();

/** Returns 256 pixels between the colors of a ramp. The steps of the ramp alone would hide weak patterns. */
export function smoothPixels(ramp: Ramp): Uint32Array {
  let pixels = known.get(ramp);
  if (!pixels)
    known.set(ramp, (pixels = Uint32Array.from({ length: STEPS }, (_, i) => between(ramp, i / (STEPS - 1)))));
  return pixels;
}

function between(ramp: Ramp, share: number): number {
  const at = share * (ramp.length - 1);
  const low = Math.min(ramp.length - 2, Math.floor(at));
  const [a, b] = [channels(ramp[low]!), channels(ramp[low + 1]!)];
  const bytes = a.map((value, i) => Math.round(value + (b[i]! - value) * (at - low)));
  return new Uint32Array(Uint8Array.of(...bytes).buffer)[0]!;
}

function channels(color: string): number[] {
  return [...new Uint8Array(Uint32Array.of(pixelOf(color)).buffer)];
}

/** Position of a weight on the ramp. The square root lets weak patterns be seen, as in the bytes that are stored. */
export const weightShare = (weight: number, largest = 1): number => Math.sqrt(clamp(weight / largest, 0, 1));

/** Position of a difference on a diverging ramp, 0.5 for none. */
export const differenceShare = (difference: number, largest: number): number =>
  0.5 + clamp(difference / (largest || 1), -1, 1) / 2;

export interface TextColors {
  background: string;
  ink: string;
}

/** Returns the color of the ramp at a position, with the ink that can be read on it. Colors without such an ink are skipped. */
export function readableColors(ramp: Ramp, share: number, inks: readonly string[]): TextColors {
  const wanted = clamp(share, 0, 1) * (ramp.length - 1);
  const order = [...ramp.keys()].sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted));
  for (const i of order) {
    const ink = inks.find((one) => contrast(one, ramp[i]!) >= MIN_CONTRAST);
    if (ink) return { background: ramp[i]!, ink };
  }
  return { background: ramp[0]!, ink: inks[0]! };
}

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [r, g, b] = channels(color).map((byte) => {
    const c = byte / 255;
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
