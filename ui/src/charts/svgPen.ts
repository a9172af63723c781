/** Pen that writes SVG. */
import type { Pen } from "./pen";

interface State {
  strokeStyle: string;
  fillStyle: string;
  globalAlpha: number;
  lineWidth: number;
  lineJoin: CanvasLineJoin;
  lineCap: CanvasLineCap;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  dash: number[];
}

const START: State = {
  strokeStyle: "#000",
  fillStyle: "#000",
  globalAlpha: 1,
  lineWidth: 1,
  lineJoin: "miter",
  lineCap: "butt",
  font: "11px sans-serif",
  textAlign: "start",
  textBaseline: "alphabetic",
  dash: [],
};

const ANCHOR: Record<CanvasTextAlign, string> = {
  start: "start",
  left: "start",
  center: "middle",
  right: "end",
  end: "end",
};

export class SvgPen implements Pen {
  strokeStyle: string = START.strokeStyle;
  fillStyle: string = START.fillStyle;
  globalAlpha = START.globalAlpha;
  lineWidth = START.lineWidth;
  lineJoin = START.lineJoin;
  lineCap = START.lineCap;
  font = START.font;
  textAlign = START.textAlign;
  textBaseline = START.textBaseline;
  private dash: number[] = [];
  private path = "";
  private readonly out: string[] = [];
  private readonly stack: { state: State; groups: number }[] = [];
  private groups = 0;
  private clips = 0;

  constructor(
    private readonly width: number,
    private readonly height: number,
  ) {}

  toString(): string {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}">\n${this.out.join("\n")}\n</svg>\n`;
  }

  save(): void {
    const { strokeStyle, fillStyle, globalAlpha, lineWidth, lineJoin, lineCap, font, textAlign, textBaseline, dash } =
      this;
    this.stack.push({
      state: { strokeStyle, fillStyle, globalAlpha, lineWidth, lineJoin, lineCap, font, textAlign, textBaseline, dash },
      groups: this.groups,
    });
  }

  restore(): void {
    const last = this.stack.pop();
    if (!last) return;
    for (; this.groups > last.groups; this.groups--) this.out.push("</g>");
    Object.assign(this, last.state);
  }

  translate(x: number, y: number): void {
    this.open(`transform="translate(${round(x)} ${round(y)})"`);
  }

  scale(x: number, y: number): void {
    this.open(`transform="scale(${x} ${y})"`);
  }

  clip(): void {
    const id = `clip${this.clips++}`;
    this.out.push(`<clipPath id="${id}"><path d="${this.path}"/></clipPath>`);
    this.open(`clip-path="url(#${id})"`);
  }

  beginPath(): void {
    this.path = "";
  }

  moveTo(x: number, y: number): void {
    this.path += `M${round(x)} ${round(y)}`;
  }

  lineTo(x: number, y: number): void {
    // As on a canvas, the first line of a path starts it.
    this.path += `${this.path ? "L" : "M"}${round(x)} ${round(y)}`;
  }

  bezierCurveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): void {
    this.path += `C${[x1, y1, x2, y2, x, y].map(round).join(" ")}`;
  }

  closePath(): void {
    this.path += "Z";
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.path += `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}Z`;
  }

  /** Supports whole circles only. */
  arc(x: number, y: number, radius: number): void {
    const r = round(radius);
    this.path += `M${round(x - radius)} ${round(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  }

  setLineDash(dash: Iterable<number>): void {
    this.dash = [...dash];
  }

  stroke(): void {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    this.out.push(
      `<path d="${this.path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}" stroke-linejoin="${this.lineJoin}" stroke-linecap="${this.lineCap}"${dash}${this.alpha()}/>`,
    );
  }

  fill(): void {
    this.out.push(`<path d="${this.path}" fill="${this.fillStyle}"${this.alpha()}/>`);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.out.push(
      `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${this.fillStyle}"${this.alpha()}/>`,
    );
  }

  fillText(text: string, x: number, y: number): void {
    const middle = this.textBaseline === "middle" ? ' dominant-baseline="central"' : "";
    this.out.push(
      `<text x="${round(x)}" y="${round(y)}" style="font:${escape(this.font)}" text-anchor="${ANCHOR[this.textAlign]}"${middle} fill="${this.fillStyle}"${this.alpha()}>${escape(text)}</text>`,
    );
  }

  drawImage(image: HTMLCanvasElement, x: number, y: number, width: number, height: number): void {
    this.out.push(
      `<image x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" preserveAspectRatio="none" href="${image.toDataURL()}"/>`,
    );
  }

  private open(attributes: string): void {
    this.out.push(`<g ${attributes}>`);
    this.groups++;
  }

  private alpha(): string {
    return this.globalAlpha < 1 ? ` opacity="${round(this.globalAlpha)}"` : "";
  }
}

const round = (v: number): number => Math.round(v * 100) / 100;

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);
