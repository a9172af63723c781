/** Downloads: the plots as images, and the table as CSV. */
import { board } from "../../app/board.svelte";
import { counted } from "../../base/format";
import { csvCell, save } from "../../base/save";
import { drawNote, drawTitle, type ImageFormat, makeImage } from "../../charts/exportImage";
import { drawText } from "../../charts/shapes";
import type { Theme } from "../../charts/theme";
import { toasts } from "../../widgets/toasts.svelte";
import { cellOf } from "../cells";
import { brushText } from "./brush";
import type { HParamsModel } from "./model.svelte";
import { axisAt, drawParallel } from "./parallel";
import { makeParallelScene, titleTop } from "./parallelScene";
import { drawMatrix, drawScatter, makeSide, matrixCells, scatterFrame } from "./scatter";
import type { Column } from "./trials";

const [WIDTH, HEAD, PLOT_HEIGHT] = [1200, 56, 480];
const SIZE = { width: WIDTH, height: HEAD + PLOT_HEIGHT + 8 };

export type Picture = "parallel" | "matrix" | "scatter";

export async function savePicture(
  model: HParamsModel,
  what: Picture,
  { x, y }: { x: Column; y: Column },
  theme: Theme,
  format: ImageFormat,
): Promise<void> {
  const name = `hparams-${what}.${format.toLowerCase()}`;
  const points = { faint: model.faint, bright: model.bright, colors: model.colors, theme };
  try {
    const image = await makeImage(format, SIZE, (pen) => {
      drawTitle(
        pen,
        theme,
        SIZE,
        what === "scatter" ? `${y.title} against ${x.title}` : (model.colorColumn?.title ?? "Runs"),
      );
      drawNote(pen, theme, note(model));
      pen.save();
      pen.translate(0, HEAD);
      if (what === "scatter") {
        const [across, up] = [x, y].map((column) => makeSide(column, model.rows, 10, model.optionsOf(column).scale));
        drawScatter(pen, scatterFrame(across!, up!, WIDTH, PLOT_HEIGHT), across!, up!, points);
      } else if (what === "matrix") {
        const sides = model.axes.map((column) => makeSide(column, model.rows, 2, model.optionsOf(column).scale));
        const hparams = sides.filter(({ column }) => !column.metric);
        const cells = matrixCells(
          sides.filter(({ column }) => column.metric),
          hparams,
          WIDTH,
          PLOT_HEIGHT,
        );
        drawMatrix(pen, cells, hparams.length, points, null);
      } else {
        const scene = makeParallelScene(model, { width: WIDTH, height: PLOT_HEIGHT, isVertical: false, theme });
        drawParallel(pen, scene);
        scene.axes.forEach(({ column }, i) =>
          drawText(pen, column.title, axisAt(scene, i), 12 + titleTop(scene, i), {
            font: `500 12px ${theme.font}`,
            color: theme.ink,
            align: i === 0 ? "left" : i === scene.axes.length - 1 ? "right" : "center",
          }),
        );
      }
      pen.restore();
    });
    save(image, name);
    toasts.show({ icon: "check", text: `Saved ${name}` });
  } catch (reason) {
    toasts.fail(`Could not create ${name}`, reason);
  }
}

function note(model: HParamsModel): string {
  const brushes = model.all.flatMap((column) =>
    model.brushes[column.id] ? [brushText(column.title, model.brushes[column.id]!)] : [],
  );
  const color = model.colorColumn ? `color: ${model.colorColumn.title}` : "";
  return [`${model.bright.length} of ${counted(model.rows.length, "run")}`, color, ...brushes]
    .filter(Boolean)
    .join(" · ");
}

/** Saves the rows and columns on screen. */
export function saveTable(model: HParamsModel): void {
  const head = ["run", ...model.columns.map(({ title }) => title)].map(csvCell).join(",");
  const rows = model.passing.map((row) =>
    [board.label(model.trials!.runs[row]!), ...model.columns.map((column) => plain(column, row))]
      .map(csvCell)
      .join(","),
  );
  save(new Blob([`${[head, ...rows].join("\n")}\n`], { type: "text/csv" }), "hparams.csv");
}

function plain(column: Column, row: number): string | number {
  const cell = cellOf(column, row);
  return cell === null ? "" : typeof cell === "boolean" ? String(cell) : cell;
}
