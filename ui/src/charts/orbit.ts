/** Directions of a camera that turns around a point, their drawing as a cross, and the keys that move such a camera. */
import type { Pen } from "./pen";
import { drawText, strokePoints } from "./shapes";
import type { Theme } from "./theme";

/** Angles in radians. */
export interface Orbit {
  yaw: number;
  pitch: number;
}

export type Vector = readonly [x: number, y: number, z: number];

/** Returns the directions to the right, up and towards the viewer. */
export function axesOf({ yaw, pitch }: Orbit): [right: Vector, up: Vector, forward: Vector] {
  const [sy, cy, sp, cp] = [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)];
  return [
    [cy, 0, sy],
    [sy * sp, cp, -cy * sp],
    [-sy * cp, sp, cy * cp],
  ];
}

/** Turns what is shown by pixels of a drag. The whole picture is half a turn wide. */
export function turnBy<T extends Orbit>(orbit: T, dx: number, dy: number, width: number): T {
  const pitch = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, orbit.pitch + (dy / width) * Math.PI));
  return { ...orbit, yaw: orbit.yaw + (dx / width) * Math.PI, pitch };
}

/** Draws the directions of the three axes around a place. */
export function drawAxesCross(pen: Pen, orbit: Orbit, [x0, y0]: [x: number, y: number], theme: Theme): void {
  const [right, up] = axesOf(orbit);
  const length = 24;
  for (const [i, name] of ["x", "y", "z"].entries()) {
    const [dx, dy] = [right[i]! * length, -up[i]! * length];
    const line = [
      [x0, y0],
      [x0 + dx, y0 + dy],
    ] as const;
    strokePoints(pen, [...line] as [number, number][], theme.ink3, 1.5);
    const style = { font: `11px ${theme.font}`, color: theme.ink3, align: "center" as const };
    drawText(pen, name, x0 + dx * 1.35, y0 + dy * 1.35, style);
  }
}

/** Pixels that an arrow key moves or turns the picture by. */
const KEY_PX = 40;
const KEY_ZOOM = 1.3;

/** What a key does to a camera: moves it by pixels, as a drag would, or zooms by a factor. */
export type CameraKey = { by: [dx: number, dy: number] } | { factor: number };

export function cameraKey(event: KeyboardEvent): CameraKey | null {
  if (event.altKey || event.ctrlKey || event.metaKey) return null;
  switch (event.key) {
    case "ArrowLeft":
      return { by: [KEY_PX, 0] };
    case "ArrowRight":
      return { by: [-KEY_PX, 0] };
    case "ArrowUp":
      return { by: [0, KEY_PX] };
    case "ArrowDown":
      return { by: [0, -KEY_PX] };
    case "+":
    case "=":
      return { factor: KEY_ZOOM };
    case "-":
      return { factor: 1 / KEY_ZOOM };
    default:
      return null;
  }
}
