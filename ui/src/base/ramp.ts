/** Colors of a ramp between its own colors. */

/** Returns the color at a share of the ramp, from 0 at its start to 1 at its end. All colors are `#rrggbb`. */
export function rampAt(ramp: readonly string[], share: number): string {
  const at = Math.min(1, Math.max(0, share)) * (ramp.length - 1);
  const [a, b, part] = [ramp[Math.floor(at)]!, ramp[Math.ceil(at)]!, at % 1];
  const channel = (color: string, i: number): number => Number.parseInt(color.slice(1 + 2 * i, 3 + 2 * i), 16);
  const mix = (i: number): number => Math.round(channel(a, i) * (1 - part) + channel(b, i) * part);
  return `#${[0, 1, 2].map((i) => mix(i).toString(16).padStart(2, "0")).join("")}`;
}
