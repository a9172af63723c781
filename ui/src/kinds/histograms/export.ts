/* A tensor to take away: the grid as it is drawn, or all that was logged, exactly. */
import { board } from "../../app/board.svelte";
import { counted } from "../../base/format";
import { csvCell, plainName, save, saveFrom } from "../../base/save";
import type { Pen } from "../../charts/pen";
import { canvasPng } from "../../charts/exportImage";
import { SvgPen } from "../../charts/svgPen";
import { toasts } from "../../widgets/toasts.svelte";
import { draw } from "./draw";
import type { Layer } from "./layers.svelte";
import { type Ink, type Scene, write } from "./plotArea";

const [WIDTH, PLOT, HEAD] = [880, 440, 72];

export interface Subject {
  tag: string;
  /** What is drawn, and of which run. */
  drawn: { run: string; scene: Scene }[];
  ink: Ink;
}

export async function saveImage(subject: Subject, format: "PNG" | "SVG"): Promise<void> {
  const name = `${plainName(subject.tag)}-${subject.drawn[0]!.scene.shape}.${format.toLowerCase()}`;
  try {
    save(
      format === "PNG"
        ? await canvasPng(WIDTH, HEAD + PLOT, (pen) => paint(pen, subject))
        : new Blob([svgOf(subject)], { type: "image/svg+xml" }),
      name,
    );
    toasts.show({ icon: "check", text: `Saved ${name}` });
  } catch (reason) {
    toasts.fail(`${name} could not be made`, reason);
  }
}

export function svgOf(subject: Subject): string {
  const pen = new SvgPen(WIDTH, HEAD + PLOT);
  paint(pen, subject);
  return pen.toString();
}

function paint(pen: Pen, { tag, drawn, ink }: Subject): void {
  const { grid, shape, x } = drawn[0]!.scene;
  pen.fillStyle = ink.surface;
  pen.fillRect(0, 0, WIDTH, HEAD + PLOT);
  write(pen, `600 15px ${family(ink)}`, ink.ink, "left", tag, 16, 22);
  const merged = grid.steps > grid.columns ? ` in ${grid.columns} columns` : "";
  write(
    pen,
    `12px ${family(ink)}`,
    ink.ink3,
    "right",
    `${shape} · x: ${x} · ${counted(grid.steps, "step")}${merged}`,
    WIDTH - 16,
    22,
  );
  drawn.forEach(({ run, scene: { color } }, i) => {
    const left = 16 + (i * (WIDTH - 32)) / drawn.length;
    pen.fillStyle = color;
    pen.fillRect(left, 41, 20, 2.5);
    write(pen, `12px ${family(ink)}`, ink.ink, "left", board.label(run), left + 28, 42);
  });
  pen.save();
  pen.translate(0, HEAD - 8);
  draw(
    { pen, width: WIDTH, height: PLOT, dense: 2, ink },
    drawn.map(({ scene }) => scene),
  );
  pen.restore();
}

const family = (ink: Ink): string => ink.font.replace(/^\S+ /, "");

/** Every step, as it was logged; the server makes the file. */
export function saveNumbers(
  { run, tag }: { run: string; tag: string },
  what: "buckets" | "bands",
  format: "csv" | "json",
): void {
  saveFrom(
    `api/histograms/export?${new URLSearchParams({ run, tag, what, format })}`,
    `${plainName(tag)}-${what}.${format}`,
  );
}

export function saveLayers(run: string, layers: Layer[]): void {
  save(new Blob([layersCsv(layers)], { type: "text/csv" }), `${plainName(board.label(run))}-layers.csv`);
}

export function layersCsv(layers: Layer[]): string {
  const rows = layers.map(({ tag, steps, last_step, change, norm, zeros, spread }) =>
    [tag, steps, last_step, change ?? "", norm ?? "", zeros ?? "", spread ?? ""].map(csvCell).join(","),
  );
  return `${["tag,steps,last_step,change,norm,zeros,spread", ...rows].join("\n")}\n`;
}
