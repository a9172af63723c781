/* Painting of maps and thumbnails pixel by pixel. */
import { paintRaster } from "../../charts/raster";
import type { Theme } from "../../charts/theme";
import { differenceShare, smoothPixels, weightShare } from "./colors";
import type { AttentionMap } from "./maps";

export interface MapColors {
  isDifference: boolean;
  /** Weight or difference at the end of the ramp. */
  largest: number;
  isCausal: boolean;
}

/** Paints a map, one pixel per weight. Keys that a query may not attend to stay transparent. */
export function paintMap(map: AttentionMap, colors: MapColors, theme: Theme): HTMLCanvasElement {
  const { queries, keys, values } = map;
  const pixelsOf = smoothPixels(colors.isDifference ? theme.diverging : theme.sequential);
  const share = colors.isDifference ? differenceShare : weightShare;
  return paintRaster(keys, queries, (pixels) => {
    for (let row = 0; row < queries; row++) {
      const allowed = colors.isCausal ? Math.min(keys, row + 1 + keys - queries) : keys;
      for (let at = row * keys; at < row * keys + allowed; at++)
        pixels[at] = pixelsOf[Math.round(share(values[at]!, colors.largest) * 255)]!;
    }
  });
}

export interface Sheet {
  image: HTMLCanvasElement;
  rows: number;
  columns: number;
}

/** Paints the thumbnails of all heads below each other. With `others`, paints the differences from them. */
export function paintThumbnails(
  [rows, columns]: readonly [number, number],
  bytes: Uint8Array,
  others: Uint8Array | null,
  { largest, isCausal }: MapColors,
  theme: Theme,
): Sheet {
  const ramp = smoothPixels(others ? theme.diverging : theme.sequential);
  const shareOf = (i: number): number => {
    if (!others) return bytes[i]! / 255;
    return differenceShare((bytes[i]! / 255) ** 2 - (others[i]! / 255) ** 2, largest);
  };
  const image = paintRaster(columns, bytes.length / columns, (pixels) => {
    for (let i = 0; i < bytes.length; i++) {
      const isAbsent = isCausal && rows === columns && i % columns > Math.floor(i / columns) % rows;
      if (!isAbsent) pixels[i] = ramp[Math.round(shareOf(i) * 255)]!;
    }
  });
  return { image, rows, columns };
}
