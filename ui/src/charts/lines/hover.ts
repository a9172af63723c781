/** The hand on a plot, and what it leaves above it: the line that stands out, crosshair, step cursor, the band of a drag.
    Loaded when a hand first moves. The line has a canvas of its own: the crosshair moves with every pixel, the line changes seldom. */
import { drawEmphasis } from "./draw";
import { attach, type Attached, type Hand } from "../gestures";
import { drawOverlay, NOTHING_OVER, type OverlayState } from "./overlay";
import { addCanvas, cleared, type Plot } from "./plot";
import { schedule, unschedule } from "../schedule";

export type PlotHand = Omit<Hand, "frame" | "pinned" | "band">;

/** The charts that the pointer is not on follow when it rests: a hand that sweeps over a dozen runs is on one chart. */
const FOLLOW_MS = 50;

export class Hover {
  private readonly lineCanvas: HTMLCanvasElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly attached: Attached;
  private state: OverlayState = NOTHING_OVER;
  /** The run that stands out, or is about to. */
  private emphasized: string | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Cards are made before they come into sight; what passes over them can wait until then. */
  private inSight = true;
  private readonly sight = new IntersectionObserver((entries) => this.seen(entries.at(-1)!.isIntersecting));

  constructor(
    private readonly plot: Plot,
    hand: PlotHand,
  ) {
    this.lineCanvas = addCanvas(plot.host);
    this.canvas = addCanvas(plot.host);
    this.sight.observe(plot.host);
    plot.afterDraw = () => this.drawAll();
    this.attached = attach(plot.host, {
      ...hand,
      frame: () => plot.frame,
      pinned: () => this.state.pinned,
      band: (band) => this.show({ ...this.state, band }, true),
    });
  }

  show(state: OverlayState, first = state.hot): void {
    const nothing = isNothing(state) && isNothing(this.state);
    this.state = state;
    if (!this.inSight) return;
    if (state.emphasized !== this.emphasized) this.emphasize(state.emphasized, first);
    if (!nothing) schedule(this, () => this.drawOver(), first);
  }

  private seen(inSight: boolean): void {
    const comes = inSight && !this.inSight;
    this.inSight = inSight;
    if (comes) this.show(this.state);
  }

  destroy(): void {
    clearTimeout(this.timer);
    this.sight.disconnect();
    this.attached.detach();
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
    this.attached.again();
    this.drawLine();
    this.drawOver();
  }

  private drawLine(): void {
    const scene = this.plot.scene();
    if (!scene) return;
    const pen = cleared(this.lineCanvas, scene.frame.width, scene.frame.height);
    if (this.emphasized && !scene.moving) drawEmphasis(pen, scene, this.emphasized);
  }

  private drawOver(): void {
    const scene = this.plot.scene();
    if (scene) drawOverlay(cleared(this.canvas, scene.frame.width, scene.frame.height), scene, this.state);
  }
}

const isNothing = (state: OverlayState): boolean =>
  state.cross === null && state.pinned === null && state.emphasized === null && state.band === null;
