/** One chart on screen: a canvas for the data, redrawn when data, window or look change, and one above it for what passes over. */
import type { ChartData, Span } from "./data";
import { drawChart, drawGrid, type Look, type Scene } from "./draw";
import type { Line } from "./data";
import { type Frame, makeFrame } from "./frame";
import { attach, type Hand } from "./gestures";
import { drawOverlay, NOTHING_OVER, type OverlayState } from "./overlay";
import type { ScaleKind } from "./scale";
import { schedule, unschedule } from "./schedule";
import type { Theme } from "./theme";
import type { XKind } from "./ticks";

export interface PlotSpec {
  data: ChartData;
  x: Span;
  xKind: XKind;
  y: Span;
  yKind: ScaleKind;
  bend: number;
  look(line: Line): Look;
  emphasised: string | null;
  envelopes: "all" | "emphasised";
  roomy: boolean;
  theme: Theme;
}

export type PlotHand = Omit<Hand, "frame" | "pinned" | "band">;

export class Plot {
  frame: Frame | null = null;
  private readonly below: HTMLCanvasElement;
  private readonly above: HTMLCanvasElement;
  private readonly observer: ResizeObserver;
  private readonly detach: () => void;
  private readonly overlayOwner = {};
  private spec: PlotSpec | null = null;
  private over: OverlayState = NOTHING_OVER;
  private width = 0;
  private height = 0;

  constructor(
    private readonly host: HTMLElement,
    hand: PlotHand,
    /** The place that is free for x, in CSS pixels: how many cells are worth asking for. */
    private readonly onWidth: (pixels: number) => void,
  ) {
    this.below = this.addCanvas();
    this.above = this.addCanvas();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(host);
    this.detach = attach(host, {
      ...hand,
      frame: () => this.frame,
      pinned: () => this.over.pinned,
      band: (band) => this.overlay({ ...this.over, band }, true),
    });
  }

  show(spec: PlotSpec): void {
    this.spec = spec;
    if (this.width) schedule(this, () => this.draw(), this.over.hot);
  }

  overlay(state: OverlayState, first = state.hot): void {
    const gone = isNothing(state) && isNothing(this.over);
    this.over = state;
    if (!gone && this.width) schedule(this.overlayOwner, () => this.drawOver(), first);
  }

  /** What is on screen, to be drawn once more: larger, or as SVG. */
  scene(): Scene | null {
    return this.spec && this.frame ? { ...this.spec, frame: this.frame } : null;
  }

  destroy(): void {
    this.observer.disconnect();
    this.detach();
    unschedule(this);
    unschedule(this.overlayOwner);
    this.below.remove();
    this.above.remove();
  }

  private addCanvas(): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.style.cssText = "position:absolute;inset:0;width:100%;height:100%;pointer-events:none";
    this.host.append(canvas);
    return canvas;
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.host;
    if (clientWidth === this.width && clientHeight === this.height) return;
    this.width = clientWidth;
    this.height = clientHeight;
    for (const canvas of [this.below, this.above]) {
      canvas.width = Math.round(clientWidth * devicePixelRatio);
      canvas.height = Math.round(clientHeight * devicePixelRatio);
    }
    this.onWidth(clientWidth);
    // At once: a resized canvas is blank until it is drawn.
    if (this.spec && this.width) this.draw();
  }

  private draw(): void {
    const spec = this.spec;
    if (!spec) return;
    this.frame = makeFrame({ ...spec, width: this.width, height: this.height });
    const pen = this.cleared(this.below);
    const scene = { ...spec, frame: this.frame };
    if (spec.data.lines.length || spec.data.density) drawChart(pen, scene);
    else drawGrid(pen, this.frame, spec.theme);
    this.drawOver();
  }

  private drawOver(): void {
    const scene = this.scene();
    if (scene) drawOverlay(this.cleared(this.above), scene, this.over);
  }

  private cleared(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
    const pen = canvas.getContext("2d")!;
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    return pen;
  }
}

const isNothing = (state: OverlayState): boolean => state.cross === null && state.pinned === null && state.band === null;
