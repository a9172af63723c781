/* Downloads of PR curves: the chart as an image, the values at the threshold, or all logged numbers. */
import { board } from "../../app/board.svelte";
import { dashOf } from "../../app/colors";
import { csvCell, plainName, save, saveFrom } from "../../base/save";
import { drawNote, drawTitle, EDGE, type ImageFormat, makeImage } from "../../charts/exportImage";
import { drawLegend, legendHeight } from "../../charts/legend";
import type { Theme } from "../../charts/theme";
import { toasts } from "../../widgets/toasts.svelte";
import { f1At, indexAt, type PrCurve, thresholdAt } from "./curve";
import { curveFrame, drawCurves, type Scene } from "./drawCurves";
import { threshold } from "./settings";

interface Shown {
  run: string;
  curve: PrCurve;
}

const [WIDTH, PLOT_HEIGHT, HEAD] = [880, 560, 60];

export async function saveImage(
  tag: string,
  scene: Scene,
  shown: Shown[],
  theme: Theme,
  format: ImageFormat,
): Promise<void> {
  const name = `${plainName(tag)}-${scene.space}.${format.toLowerCase()}`;
  const entries = shown.map(({ run, curve }) => {
    const area = scene.space === "pr" ? curve.area : curve.roc_area;
    const label = board.label(run) + (area === null ? "" : ` (area ${area.toFixed(3)})`);
    return { label, color: board.color(run), dash: dashOf(board.dash(run)) };
  });
  const legend = legendHeight(entries, WIDTH - 2 * EDGE);
  const size = { width: WIDTH, height: HEAD + PLOT_HEIGHT + legend + 20 };
  const large = { ...scene, large: true, zoom: scene.large ? scene.zoom : null };
  try {
    const image = await makeImage(format, size, (pen) => {
      drawTitle(pen, theme, size, tag);
      drawNote(
        pen,
        theme,
        `threshold ${thresholdText(shown)} · step ${Math.max(...shown.map(({ curve }) => curve.step))}`,
      );
      pen.save();
      pen.translate(0, HEAD);
      drawCurves(pen, curveFrame(large, WIDTH, PLOT_HEIGHT), large, theme);
      pen.restore();
      drawLegend(pen, theme, entries, { left: EDGE, top: HEAD + PLOT_HEIGHT + 10, width: WIDTH - 2 * EDGE });
    });
    save(image, name);
    toasts.show({ icon: "check", text: `Saved ${name}` });
  } catch (reason) {
    toasts.fail(`Could not create ${name}`, reason);
  }
}

function thresholdText(shown: Shown[]): string {
  const { curve } = shown[0]!;
  return String(Number(thresholdAt(curve, indexAt(curve, threshold.value)).toFixed(3)));
}

export function saveValues(tag: string, shown: Shown[]): void {
  save(new Blob([valuesCsv(shown)], { type: "text/csv" }), `${plainName(tag)}-threshold.csv`);
}

function valuesCsv(shown: Shown[]): string {
  const names = [
    "true_positives",
    "false_positives",
    "true_negatives",
    "false_negatives",
    "precision",
    "recall",
  ] as const;
  const rows = shown.map(({ run, curve }) => {
    const at = indexAt(curve, threshold.value);
    const areas = [curve.area ?? "", curve.roc_area ?? ""];
    const values = [...names.map((name) => curve[name][at]!), f1At(curve, at), ...areas];
    return [board.label(run), curve.step, thresholdAt(curve, at), ...values].map(csvCell).join(",");
  });
  return `${["run,step,threshold", names.join(","), "f1,area,roc_area"].join(",")}\n${rows.join("\n")}\n`;
}

/** Downloads every logged step. The server writes the file. */
export function saveSeries(run: string, tag: string): void {
  saveFrom(`api/pr_curves/export?${new URLSearchParams({ run, tag })}`, `${plainName(tag)}-pr.csv`);
}
