/* A value of a chart as text, with the digits that tell it apart from others on the chart's y axis. */
import { number } from "../../base/format";
import { makeScale } from "../../charts/scale";
import { digitsOn } from "../../charts/valueDigits";
import type { Chart } from "./chart.svelte";

/** `tag` tells the axis of a chart with two of them. */
export function valueText(chart: Chart, value: number, tag?: string, least?: number): string {
  const { right } = chart;
  const span = right && tag !== undefined && right.tags.has(tag) ? right.y : chart.y;
  const scale = makeScale(chart.yKind, span, chart.spec?.bend);
  return number(value, digitsOn(scale, value, least));
}
