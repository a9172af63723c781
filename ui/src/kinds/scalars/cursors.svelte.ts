/* Crosshair, pinned step and gestures of a chart. Loaded on first use. */
import { board } from "../../app/board.svelte";
import { cursor } from "../../app/cursor.svelte";
import { snap } from "../../charts/lines/nearest";
import type { OverlayState } from "../../charts/lines/overlay";
import { Hover, type PlotGestures } from "../../charts/lines/hover";
import type { Plot } from "../../charts/lines/plot";
import type { Chart } from "./chart.svelte";
import { xAxis } from "./settings.svelte";
import { tooltip } from "./tooltipRows.svelte";
import { resetZoom, zoomX, zoomY } from "./zoom";

export { cardActions } from "./actions";
export { default as CardButtons } from "./CardButtons.svelte";
export { dragToMove, dragToResize } from "./dragCards";
export { settingActions } from "./settingActions";
export { default as StepPanel } from "./StepPanel.svelte";
export { default as Tooltip } from "./Tooltip.svelte";

/** Makes a plot interactive for as long as the effect lives that calls this. */
export function attachTo(chart: Chart, plot: Plot): () => void {
  const hover = new Hover(plot, gesturesOf(chart));
  $effect(() => hover.show(overlayOf(chart)));
  return () => {
    hover.destroy();
    // A chart that is filtered out, deleted, expanded or collapsed gets no event of the pointer.
    if (cursor.source === chart.id) leave();
  };
}

/** Distance in pixels at which the pointer is on the mark of a finding. */
const FINDING_REACH_PX = 8;

const sameAxis = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function overlayOf(chart: Chart): OverlayState {
  const follows = cursor.x !== null && sameAxis(cursor.axis, xAxis.value);
  return {
    cross: follows ? cursor.x : null,
    hot: follows && cursor.source === chart.id,
    pinned: xAxis.value === "step" ? cursor.pinned : null,
    emphasized: emphasizedOn(chart),
    band: null,
  };
}

/** In a chart of groups, the group of a run stands for the run. */
function emphasizedOn(chart: Chart): string | null {
  const run = board.emphasized;
  return chart.query.groups && run ? (board.grouping?.groupOf(run) ?? run) : run;
}

function gesturesOf(chart: Chart): PlotGestures {
  return {
    hover: (x, y) => hover(chart, x, y),
    leave: () => cursor.source === chart.id && leave(),
    pin: (x, final) => pin(chart, x, final),
    zoomX: (span, final) => zoomX(chart, span, final),
    zoomY: (span) => zoomY(chart, span),
    reset: () => resetZoom(chart),
  };
}

/** A step can be pinned only on the step axis: other views do not know positions on other axes. */
function pin(chart: Chart, x: number | null, final: boolean): void {
  if (xAxis.value !== "step") return;
  const step = x === null ? null : Math.round(chart.data ? snap(chart.data.x, x) : x);
  if (final || step === null) cursor.pinned = step;
  else cursor.previewPinned(step);
}

function hover(chart: Chart, x: number, y: number): void {
  const frame = chart.plot?.frame;
  const { data } = chart;
  if (!frame || !data?.x.length || x < frame.box.left - 8 || x > frame.box.right + 8) return leave();
  const at = snap(data.x, frame.xAt(x));
  // Cells of a downsampled line are between steps. Every step that is shown or requested is an integer.
  cursor.x = xAxis.value === "step" ? Math.round(at) : at;
  cursor.axis = xAxis.value;
  cursor.source = chart.id;
  tooltip.show(chart, frame, at, y);
  tooltip.findings = (chart.spec?.findings ?? []).filter((mark) => Math.abs(frame.px(mark.x) - x) <= FINDING_REACH_PX);
}

/** The pointer has left the charts. */
export function leave(): void {
  cursor.x = null;
  cursor.source = "";
  board.emphasized = null;
  tooltip.hide();
}
