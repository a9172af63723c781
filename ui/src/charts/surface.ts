/** Canvas that fills its host, follows the size of the host and draws at most once a frame. */
import { addCanvas, clearCanvas } from "./canvas";
import { schedule, unschedule } from "./schedule";

export class Surface {
  width = 0;
  height = 0;
  private readonly canvas: HTMLCanvasElement;
  private readonly observer: ResizeObserver;

  constructor(
    private readonly host: HTMLElement,
    private readonly draw: (pen: CanvasRenderingContext2D, width: number, height: number) => void,
    private readonly onResize: (width: number) => void = () => undefined,
  ) {
    this.canvas = addCanvas(host);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(host);
  }

  /** Draws in the next frame. `first` draws before other charts. */
  redraw(first = false): void {
    if (this.width) schedule(this, () => this.drawNow(), first);
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
    this.onResize(clientWidth);
    // At once, because a resized canvas is blank until it is drawn.
    if (this.width) this.drawNow();
  }

  private drawNow(): void {
    this.draw(clearCanvas(this.canvas, this.width, this.height), this.width, this.height);
  }
}
