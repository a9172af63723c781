/* Brightness and contrast of all images, as in TensorBoard. */
import { param, real } from "../../base/url";

export const bright = param("img.bright", real, 1);
export const contrast = param("img.contrast", real, 1);

export const isAdjusted = (): boolean => bright.value !== 1 || contrast.value !== 1;

/** Returns the CSS filter. */
export const filterOf = (): string =>
  isAdjusted() ? `brightness(${bright.value}) contrast(${contrast.value})` : "none";

export function reset(): void {
  bright.value = 1;
  contrast.value = 1;
}
