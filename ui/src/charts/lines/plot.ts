/** Line chart on screen, redrawn when its data, window or look changes. Interaction is drawn on canvases above it, see hover.ts. */
import { drawAxes } from "../axes";
import type { Frame } from "../frame";
import type { Pen } from "../pen";
import { Surface } from "../surface";
import { drawChart } from "./drawChart";
import { loadDetailsFor } from "./lazyDetails";
import { type LineFrameSpec, makeLineFrame } from "./lineFrame";
import type { LineScene } from "./scene";

export type PlotSpec = Omit<LineScene, "frame"> & Omit<LineFrameSpec, "width" | "height">;

export class Plot {
  frame: Frame | null = null;
  /** Called after each drawing. */
  afterDraw: (() => void) | null = null;
  private readonly surface: Surface;
  private spec: PlotSpec | null = null;

  constructor(
    readonly host: HTMLElement,
    /** Called with the width in CSS pixels, which decides how many cells to request. */
    onWidth: (pixels: number) => void,
  ) {
    this.surface = new Surface(host, (pen, width, height) => this.draw(pen, width, height), onWidth);
  }

  /** `first` draws before other charts. */
  show(spec: PlotSpec, first = false): void {
    this.spec = spec;
    this.surface.redraw(first);
  }

  /** Returns the scene on screen, to be drawn again larger or as SVG. */
  scene(): LineScene | null {
    return this.spec && this.frame ? { ...this.spec, frame: this.frame } : null;
  }

  destroy(): void {
    this.surface.destroy();
  }

  private draw(pen: Pen, width: number, height: number): void {
    const { spec } = this;
    if (!spec) return;
    this.frame = makeLineFrame({ ...spec, width, height });
    const scene = { ...spec, frame: this.frame };
    if (spec.data.lines.length || spec.data.density) drawChart(pen, scene);
    else drawAxes(pen, this.frame, spec.theme);
    loadDetailsFor(scene, () => this.surface.redraw());
    this.afterDraw?.();
  }
}
