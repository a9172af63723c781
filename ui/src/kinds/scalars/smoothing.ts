/* Smoothing methods. The server has the same ids in series_math/smoothing.py. */

export const SMOOTHING_METHODS = [
  { id: "ema", label: "EMA", hint: "same as TensorBoard" },
  { id: "gaussian", label: "Gaussian", hint: "" },
  { id: "mean", label: "Running mean", hint: "" },
  { id: "none", label: "None", hint: "" },
] as const;

export type SmoothingMethod = (typeof SMOOTHING_METHODS)[number]["id"];

/** The weight has the same scale for all methods. */
export const WEIGHT = { initial: 0.6, maximum: 0.9999, sliderMaximum: 0.99 };

/** Formats a weight with two decimals, or with those that it has: `0.60`, `0.999`. */
export const formatWeight = (weight: number): string =>
  weight > WEIGHT.sliderMaximum ? `${weight}` : weight.toFixed(2);
