/** Image of one line chart with title, names of the axes, and a legend. */
import { drawNote, drawTitle, EDGE, type ImageFormat, makeImage, type Size } from "../exportImage";
import { drawLegend, type LegendEntry, legendHeight } from "../legend";
import type { Pen } from "../pen";
import { drawText } from "../shapes";
import { drawChart } from "./drawChart";
import { loadDetails } from "./lazyDetails";
import { makeLineFrame } from "./lineFrame";
import type { LineScene } from "./scene";

export interface Caption {
  title: string;
  /** Names of the axes. */
  x: string;
  y: string;
  /** Line below the title: the window on screen and the smoothing. */
  note: string;
}

const WIDTH = 880;
const PLOT_HEIGHT = 440;
const HEAD = 56;
/** From the plot to the names of the axes, and to the legend. */
const NAMES_DROP = 10;
const LEGEND_DROP = 34;

export async function exportChart(scene: LineScene, caption: Caption, format: ImageFormat): Promise<Blob> {
  await loadDetails();
  const entries = scene.data.lines.filter((line) => !line.attempt).map((line) => scene.look(line));
  const height = HEAD + PLOT_HEIGHT + 28 + legendHeight(entries, WIDTH - 2 * EDGE) + EDGE;
  const size = { width: WIDTH, height };
  return makeImage(format, size, (pen) => draw(pen, scene, caption, size, entries));
}

function draw(pen: Pen, scene: LineScene, caption: Caption, size: Size, entries: LegendEntry[]): void {
  const { theme } = scene;
  drawTitle(pen, theme, size, caption.title);
  drawNote(pen, theme, caption.note);
  drawPlot(pen, scene);
  const style = { font: `11px ${theme.font}`, color: theme.ink2 };
  const bottom = HEAD + PLOT_HEIGHT;
  drawText(pen, caption.x, WIDTH - EDGE, bottom + NAMES_DROP, { ...style, align: "right" });
  drawText(pen, caption.y, EDGE, bottom + NAMES_DROP, style);
  drawLegend(pen, theme, entries, { left: EDGE, top: bottom + LEGEND_DROP, width: WIDTH - 2 * EDGE });
}

/** Draws the chart in the size of the image, with the window that is on screen. */
function drawPlot(pen: Pen, scene: LineScene): void {
  const { x, y, xKind } = scene.frame;
  const frame = makeLineFrame({
    width: WIDTH,
    height: PLOT_HEIGHT,
    x: [x.lo, x.hi],
    xKind,
    y: [y.lo, y.hi],
    yKind: y.kind,
    bend: y.bend,
    right: scene.right,
    roomy: true,
  });
  pen.save();
  pen.translate(0, HEAD);
  drawChart(pen, { ...scene, frame, vector: true });
  pen.restore();
}
