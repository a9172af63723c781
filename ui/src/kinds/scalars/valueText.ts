/* A value of a chart as text, with the digits that tell it apart from others on the chart's y axis. */
import { number } from "../../base/format";
import { makeScale } from "../../charts/scale";
import { digitsOn } from "../../charts/valueDigits";
import type { Chart } from "./chart.svelte";

export function valueText(chart: Chart, value: number, least?: number): string {
  const scale = makeScale(chart.yKind, chart.y, chart.spec?.bend);
  return number(value, digitsOn(scale, value, least));
}
