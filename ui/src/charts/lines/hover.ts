/** Interaction with a line chart, drawn above it: the emphasized run, crosshair, pinned step and the band of a drag.
    Loaded on the first pointer move. The emphasized run has its own canvas, because the crosshair changes more often. */
import { addCanvas, clearCanvas } from "../canvas";
import { attachGestures, type GestureHandlers } from "../gestures";
import type { PointerInput } from "../pointer";
import { schedule, unschedule } from "../schedule";
import { drawEmphasis } from "./drawEmphasis";
import { drawOverlay, EMPTY_OVERLAY, type OverlayState } from "./overlay";
import type { Plot } from "./plot";

export type PlotGestures = Omit<GestureHandlers, "frame" | "pinned" | "band">;

/** Delay for the charts without the pointer, so that a sweep over a dozen runs redraws only one chart. */
const FOLLOW_MS = 50;

export class Hover {
  private readonly lineCanvas: HTMLCanvasElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly pointer: PointerInput;
  private state: OverlayState = EMPTY_OVERLAY;
  /** The run that is emphasized, or will be after the delay. */
  private emphasized: string | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Charts outside the screen do not draw the overlay. */
  private isVisible = true;
  private readonly visibility = new IntersectionObserver((entries) => this.setVisible(entries.at(-1)!.isIntersecting));

  constructor(
    private readonly plot: Plot,
    gestures: PlotGestures,
  ) {
    this.lineCanvas = addCanvas(plot.host);
    this.canvas = addCanvas(plot.host);
    this.visibility.observe(plot.host);
    plot.afterDraw = () => this.drawAll();
    this.pointer = attachGestures(plot.host, {
      ...gestures,
      frame: () => plot.frame,
      pinned: () => this.state.pinned,
      band: (band) => this.show({ ...this.state, band }, true),
    });
  }

  show(state: OverlayState, first = state.hot): void {
    const staysEmpty = isEmpty(state) && isEmpty(this.state);
    this.state = state;
    if (!this.isVisible) return;
    if (state.emphasized !== this.emphasized) this.emphasize(state.emphasized, first);
    if (!staysEmpty) schedule(this, () => this.drawOverlay(), first);
  }

  private setVisible(isVisible: boolean): void {
    const appears = isVisible && !this.isVisible;
    this.isVisible = isVisible;
    if (appears) this.show(this.state);
  }

  destroy(): void {
    clearTimeout(this.timer);
    this.visibility.disconnect();
    this.pointer.detach();
    unschedule(this);
    unschedule(this.lineCanvas);
    this.plot.afterDraw = null;
    this.lineCanvas.remove();
    this.canvas.remove();
  }

  private emphasize(run: string | null, first: boolean): void {
    this.emphasized = run;
    clearTimeout(this.timer);
    if (first) schedule(this.lineCanvas, () => this.drawLine(), true);
    else this.timer = setTimeout(() => schedule(this.lineCanvas, () => this.drawLine()), FOLLOW_MS);
  }

  private drawAll(): void {
    this.pointer.repeatHover();
    this.drawLine();
    this.drawOverlay();
  }

  private drawLine(): void {
    const scene = this.plot.scene();
    if (!scene) return;
    const pen = clearCanvas(this.lineCanvas, scene.frame.width, scene.frame.height);
    if (this.emphasized && !scene.moving) drawEmphasis(pen, scene, this.emphasized);
  }

  private drawOverlay(): void {
    const scene = this.plot.scene();
    if (scene) drawOverlay(clearCanvas(this.canvas, scene.frame.width, scene.frame.height), scene, this.state);
  }
}

const isEmpty = (state: OverlayState): boolean =>
  state.cross === null && state.pinned === null && state.emphasized === null && state.band === null;
