/* Zooms of a chart, or of all charts while their zoom is linked. */
import type { Span } from "../../charts/box";
import { type Chart, gesture } from "./chart.svelte";
import { linkedWindow, linkZoom, setCard } from "./settings.svelte";

export function zoomX(chart: Chart, span: Span, final: boolean): void {
  const [lo, hi] = limit(chart, span);
  if (!final) {
    gesture.tag = chart.tag;
    gesture.span = [lo, hi];
    return;
  }
  gesture.span = null;
  if (linkZoom.value) linkedWindow.value = [lo, hi];
  else setCard(chart.tag, { zoom: [lo, hi] });
}

export function zoomY(chart: Chart, span: Span): void {
  setCard(chart.tag, { lim: [Number(span[0].toPrecision(6)), Number(span[1].toPrecision(6))] });
}

export function resetZoom(chart: Chart): void {
  gesture.span = null;
  if (linkZoom.value) linkedWindow.value = null;
  setCard(chart.tag, { zoom: undefined, lim: undefined });
}

/** Limits a zoom to little more than the data, and to a width that floating-point numbers can represent. */
function limit({ extent }: Chart, [lo, hi]: Span): Span {
  if (!extent) return [lo, hi];
  const margin = (extent[1] - extent[0]) * 0.05 || 1;
  const length = Math.min(Math.max(hi - lo, (extent[1] - extent[0]) * 1e-7), extent[1] - extent[0] + 2 * margin);
  const start = Math.min(Math.max(lo, extent[0] - margin), extent[1] + margin - length);
  return [start, start + length];
}
