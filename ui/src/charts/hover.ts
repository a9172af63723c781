/** The hand on a plot, and what it leaves above it: crosshair, step cursor, the band of a drag. Loaded when a hand first moves. */
import { attach, type Hand } from "./gestures";
import { drawOverlay, NOTHING_OVER, type OverlayState } from "./overlay";
import { addCanvas, cleared, type Plot } from "./plot";
import { schedule, unschedule } from "./schedule";

export type PlotHand = Omit<Hand, "frame" | "pinned" | "band">;

export class Hover {
  private readonly canvas: HTMLCanvasElement;
  private readonly detach: () => void;
  private state: OverlayState = NOTHING_OVER;

  constructor(
    private readonly plot: Plot,
    hand: PlotHand,
  ) {
    this.canvas = addCanvas(plot.host);
    plot.afterDraw = () => this.draw();
    this.detach = attach(plot.host, {
      ...hand,
      frame: () => plot.frame,
      pinned: () => this.state.pinned,
      band: (band) => this.show({ ...this.state, band }, true),
    });
  }

  show(state: OverlayState, first = state.hot): void {
    const nothing = isNothing(state) && isNothing(this.state);
    this.state = state;
    if (!nothing) schedule(this, () => this.draw(), first);
  }

  destroy(): void {
    this.detach();
    unschedule(this);
    this.plot.afterDraw = null;
    this.canvas.remove();
  }

  private draw(): void {
    const scene = this.plot.scene();
    if (scene) drawOverlay(cleared(this.canvas, scene.frame.width, scene.frame.height), scene, this.state);
  }
}

const isNothing = (state: OverlayState): boolean => state.cross === null && state.pinned === null && state.emphasised === null && state.band === null;
