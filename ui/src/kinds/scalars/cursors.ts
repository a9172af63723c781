/* The crosshair and the step cursor, as one chart sees them. */
import { board } from "../../app/board.svelte";
import { cursor } from "../../app/cursor.svelte";
import { snap } from "../../charts/data";
import type { OverlayState } from "../../charts/overlay";
import type { PlotHand } from "../../charts/plot";
import type { Chart } from "./chart.svelte";
import { xAxis } from "./settings.svelte";
import { tip } from "./tip.svelte";

const sameAxis = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

export function overlayOf(chart: Chart): OverlayState {
  const follows = cursor.x !== null && sameAxis(cursor.axis, xAxis.value);
  return {
    cross: follows ? cursor.x : null,
    hot: follows && cursor.source === chart.id,
    pinned: xAxis.value === "step" ? cursor.pinned : null,
    band: null,
  };
}

export function handOf(chart: Chart): PlotHand {
  return {
    hover: (x, y) => hover(chart, x, y),
    leave: () => leave(chart),
    pin: (x) => {
      if (xAxis.value === "step") cursor.pinned = x === null ? null : chart.data ? snap(chart.data.x, x) : Math.round(x);
    },
    zoomX: (span, final) => chart.zoomX(span, final),
    zoomY: (span) => chart.zoomY(span),
    reset: () => chart.resetZoom(),
  };
}

function hover(chart: Chart, x: number, y: number): void {
  const frame = chart.plot?.frame;
  const { data } = chart;
  if (!frame || !data?.x.length || x < frame.box.left - 8 || x > frame.box.right + 8) return leave(chart);
  const share = (x - frame.box.left) / (frame.box.right - frame.box.left);
  const at = snap(data.x, frame.x.value(Math.max(0, Math.min(1, share))));
  cursor.x = at;
  cursor.axis = xAxis.value;
  cursor.source = chart.id;
  tip.show(chart, frame, at, y);
  board.emphasised = tip.rows[0]?.run ?? null;
}

function leave(chart: Chart): void {
  if (cursor.source !== chart.id) return;
  cursor.x = null;
  cursor.source = "";
  board.emphasised = null;
  tip.hide();
}
