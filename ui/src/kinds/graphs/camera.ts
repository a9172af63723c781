/* Camera of the picture: the place in the plane that is in the upper left corner of the screen, and pixels per unit. */
export interface Camera {
  x: number;
  y: number;
  scale: number;
}

export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

const [MIN_SCALE, MAX_SCALE] = [0.02, 3];
/** Text below this scale cannot be read, so the first picture does not start there. */
const READABLE = 0.5;
const MARGIN = 28;

interface Size {
  width: number;
  height: number;
}

/** Shows all of an area, at most in its own size. */
export function fit(area: Area, screen: Size): Camera {
  const scale = Math.min(
    1,
    (screen.width - 2 * MARGIN) / Math.max(1, area.width),
    (screen.height - 2 * MARGIN) / Math.max(1, area.height),
  );
  return centered(area, screen, Math.max(MIN_SCALE, scale));
}

/** Shows all of it if it can be read, else its upper part in a readable size. */
export function firstView(area: Area, screen: Size): Camera {
  const all = fit(area, screen);
  if (all.scale >= READABLE) return all;
  const scale = Math.max(READABLE, Math.min(1, (screen.width - 2 * MARGIN) / Math.max(1, area.width)));
  return { ...centered(area, screen, scale), y: area.y - MARGIN / scale };
}

function centered(area: Area, screen: Size, scale: number): Camera {
  return {
    x: area.x + area.width / 2 - screen.width / 2 / scale,
    y: area.y + area.height / 2 - screen.height / 2 / scale,
    scale,
  };
}

export function zoomAt(camera: Camera, factor: number, at: { x: number; y: number }): Camera {
  const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, camera.scale * factor));
  return {
    x: camera.x + at.x / camera.scale - at.x / scale,
    y: camera.y + at.y / camera.scale - at.y / scale,
    scale,
  };
}

export function panBy(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x - dx / camera.scale, y: camera.y - dy / camera.scale };
}

/** Moves an area into view, if it is not, in a size that can be read. */
export function reveal(camera: Camera, area: Area, screen: Size): Camera {
  const scale = Math.max(camera.scale, Math.min(READABLE, (screen.width - 2 * MARGIN) / Math.max(1, area.width)));
  const [left, top] = [(area.x - camera.x) * camera.scale, (area.y - camera.y) * camera.scale];
  const isVisible =
    scale === camera.scale &&
    left >= 0 &&
    top >= 0 &&
    left + area.width * scale <= screen.width &&
    top + Math.min(area.height * scale, screen.height / 2) <= screen.height;
  return isVisible
    ? camera
    : centered({ ...area, height: Math.min(area.height, screen.height / scale) }, screen, scale);
}
