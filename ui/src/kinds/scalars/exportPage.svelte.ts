/* Export of all charts as one image. Charts that are not on screen are requested too. */
import { board } from "../../app/board.svelte";
import { dashOf } from "../../app/colors";
import { counted } from "../../base/format";
import type { ImageFormat } from "../../charts/exportImage";
import { CARD_PLOT, exportSheet, type SheetCard } from "../../charts/lines/exportSheet";
import { makeLineFrame } from "../../charts/lines/lineFrame";
import { Chart } from "./chart.svelte";
import { fileName, download, smoothingText } from "./export";
import { axisName } from "./axisName";
import { titleOf, xAxis } from "./settings.svelte";

export const MAX_CHARTS = 60;

export async function exportPage(cards: string[], format: ImageFormat): Promise<void> {
  await download(fileName("charts", format), counted(cards.length, "chart"), async () => {
    const drawn = (await Promise.all(cards.map(drawnCard))).filter((card) => card !== null);
    const page = {
      title: board.title || "Charts",
      note: `x: ${axisName(xAxis.value)}, ${counted(board.visible.length, "run")}`,
      cards: drawn,
    };
    return exportSheet(page, format);
  });
}

/** Returns a chart once its data has arrived, or null if no visible run has it. */
function drawnCard(card: string): Promise<SheetCard | null> {
  return new Promise((resolve, reject) => {
    const chart = new Chart(`page ${card}`, card);
    const stop = $effect.root(() => {
      chart.setWidth(CARD_PLOT.width);
      chart.follow();
      $effect(() => {
        if (chart.error) reject(chart.error);
        else if (chart.spec) resolve(cardOf(chart));
        else return;
        queueMicrotask(stop);
      });
    });
  });
}

function cardOf(chart: Chart): SheetCard | null {
  const spec = chart.spec!;
  if (!spec.data.lines.length) return null;
  const [prefix, name, more] = titleOf(chart.tag);
  return {
    prefix: prefix!,
    name: name!,
    note: more! + (chart.yKind === "linear" ? "" : ` (${chart.yKind})`),
    smoothing: smoothingText(chart),
    runOf: ({ run }) => ({ label: board.label(run), color: board.color(run), dash: dashOf(board.dash(run)) }),
    scene: { ...spec, frame: makeLineFrame({ ...spec, ...CARD_PLOT }) },
  };
}
