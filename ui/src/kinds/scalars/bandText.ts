/* The band of a group as text. */
import { BANDS, lineSettings } from "../../app/groups/lineSettings";
import { number } from "../../base/format";
import type { Chart } from "./chart.svelte";
import { valueText } from "./valueText";

/** Fewer runs have a range in place of an interval. */
const FEW_RUNS = 3;

/** Returns `± 0.0042`, or both ends of a band that is not symmetric or is a range. Empty without a band. */
export function bandText(chart: Chart, { low, high, n }: { low: number; high: number; n: number }): string {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return "";
  const { band } = lineSettings;
  const isSymmetric = ["t", "sd", "se"].includes(band) && (band !== "t" || n >= FEW_RUNS);
  const half = (high - low) / 2;
  if (!isSymmetric) return `${valueText(chart, low)} to ${valueText(chart, high)}`;
  return `± ${number(half, 2)}`;
}

export function bandTitle(): string {
  return lineSettings.band === "none" ? "" : BANDS[lineSettings.band];
}
