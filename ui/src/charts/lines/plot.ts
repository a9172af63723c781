/** One chart on screen, redrawn when data, window or look change. What passes over it lies on a canvas of its own, see hover.ts. */
import type { Span } from "../box";
import type { ChartData, Line } from "./data";
import { drawChart, drawGrid, type Look, type Scene } from "./draw";
import { type Frame, makeFrame } from "../frame";
import type { ScaleKind } from "../scale";
import { schedule, unschedule } from "../schedule";
import type { Theme } from "../theme";
import type { XKind } from "../ticks";

export interface PlotSpec {
  data: ChartData;
  x: Span;
  xKind: XKind;
  y: Span;
  yKind: ScaleKind;
  bend: number;
  look(line: Line): Look;
  envelopes: "all" | "emphasized";
  roomy: boolean;
  moving: boolean;
  theme: Theme;
}

export class Plot {
  frame: Frame | null = null;
  /** Called after each drawing, by what lies above. */
  afterDraw: (() => void) | null = null;
  private readonly canvas: HTMLCanvasElement;
  private readonly observer: ResizeObserver;
  private spec: PlotSpec | null = null;
  private width = 0;
  private height = 0;

  constructor(
    readonly host: HTMLElement,
    /** The place that is free for x, in CSS pixels: how many cells are worth asking for. */
    private readonly onWidth: (pixels: number) => void,
  ) {
    this.canvas = addCanvas(host);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(host);
  }

  show(spec: PlotSpec, first = false): void {
    this.spec = spec;
    if (this.width) schedule(this, () => this.draw(), first);
  }

  /** What is on screen, to be drawn once more: larger, or as SVG. */
  scene(): Scene | null {
    return this.spec && this.frame ? { ...this.spec, frame: this.frame } : null;
  }

  destroy(): void {
    this.observer.disconnect();
    unschedule(this);
    this.canvas.remove();
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.host;
    if (clientWidth === this.width && clientHeight === this.height) return;
    this.width = clientWidth;
    this.height = clientHeight;
    this.onWidth(clientWidth);
    // At once: a resized canvas is blank until it is drawn.
    if (this.spec && this.width) this.draw();
  }

  private draw(): void {
    const spec = this.spec;
    if (!spec) return;
    this.frame = makeFrame({ ...spec, width: this.width, height: this.height });
    const pen = cleared(this.canvas, this.width, this.height);
    const scene = { ...spec, frame: this.frame };
    if (spec.data.lines.length || spec.data.density) drawChart(pen, scene);
    else drawGrid(pen, this.frame, spec.theme);
    this.afterDraw?.();
  }
}

/** Fills its host and lets the pointer through. */
export function addCanvas(host: HTMLElement): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.style.cssText = "position:absolute;inset:0;width:100%;height:100%;pointer-events:none";
  host.append(canvas);
  return canvas;
}

/** An empty canvas of that size in CSS pixels, sharp on any screen. */
export function cleared(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const [across, down] = [Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio)];
  if (canvas.width !== across || canvas.height !== down) [canvas.width, canvas.height] = [across, down];
  const pen = canvas.getContext("2d")!;
  pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}
