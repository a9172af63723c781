/** Significant digits of a value beside an axis: enough to tell apart what is apart on the axis. */
import type { Scale } from "./scale";

const DEFAULT_DIGITS = 4;
const MAX_DIGITS = 15;
/** Values this far apart, as a fraction of the axis, are drawn apart. */
const APART = 0.001;

export function digitsOn(scale: Scale, value: number, least = DEFAULT_DIGITS): number {
  const apart = Math.abs(scale.value(scale.at(value) + APART) - value);
  const wanted = 1 + magnitude(value) + Math.ceil(-Math.log10(apart) - 1e-6);
  if (!(wanted > least && wanted < Infinity)) return least;
  return withoutNoise(value, least, Math.min(wanted, MAX_DIGITS));
}

const magnitude = (value: number): number => Math.floor(Math.log10(Math.abs(value)));

/** Most values are logged as 32-bit floats. Digits beyond their precision are noise: 1000000.1 would be 1000000.125. */
function withoutNoise(value: number, least: number, most: number): number {
  if (Math.fround(value) !== value) return most;
  let digits = least;
  while (digits < most && Math.fround(Number(value.toPrecision(digits))) !== value) digits += 1;
  return digits;
}
