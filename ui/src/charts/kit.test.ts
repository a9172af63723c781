// @vitest-environment happy-dom
/** Example of a view drawn with the kit: a precision-recall curve with axes, a line, hover and export. */
import { expect, test } from "vitest";
import { drawAxes } from "./axes";
import { drawCrosshair, drawCrosshairFlag } from "./crosshair";
import { drawTitle, type ImageFormat, makeImage } from "./exportImage";
import { type Frame, makeFrame } from "./frame";
import type { Pen } from "./pen";
import { attachPointer, type PointerInput } from "./pointer";
import { makeScale } from "./scale";
import { drawDot, type Point, strokePoints } from "./shapes";
import { Surface } from "./surface";
import { makeTheme, type Theme } from "./theme";
import { valueTicks, xTicks } from "./ticks";

const COLOR = "#2d6bd8";

class PrCurve {
  hovered: Point | null = null;
  private frame: Frame = frameOf(300, 200);
  private readonly surface: Surface;
  private readonly pointer: PointerInput;

  constructor(
    host: HTMLElement,
    private readonly curve: Point[],
    private readonly theme: Theme,
  ) {
    this.surface = new Surface(host, (pen, width, height) => this.draw(pen, (this.frame = frameOf(width, height))));
    this.pointer = attachPointer(host, {
      hover: ({ x }) => this.hover(this.frame.xAt(x)),
      leave: () => this.hover(null),
    });
  }

  private hover(recall: number | null): void {
    const distance = ([x]: Point): number => Math.abs(x - (recall ?? 0));
    this.hovered = recall === null ? null : this.curve.reduce((a, b) => (distance(b) < distance(a) ? b : a));
    this.surface.redraw(true);
  }

  private draw(pen: Pen, frame: Frame): void {
    drawAxes(pen, frame, this.theme);
    strokePoints(
      pen,
      this.curve.map(([x, y]): Point => [frame.px(x), frame.py(y)]),
      COLOR,
      1.5,
    );
    if (!this.hovered) return;
    const [x, y] = this.hovered;
    drawCrosshair(pen, frame, x, true, this.theme);
    drawDot(pen, frame.px(x), frame.py(y), 3, COLOR, this.theme.surface);
    drawCrosshairFlag(pen, frame, x, this.theme);
  }

  export(format: ImageFormat): Promise<Blob> {
    const size = { width: 880, height: 496 };
    return makeImage(format, size, (pen) => {
      drawTitle(pen, this.theme, size, "Precision and recall");
      pen.translate(0, 56);
      this.draw(pen, frameOf(880, 440));
    });
  }

  destroy(): void {
    this.pointer.detach();
    this.surface.destroy();
  }
}

function frameOf(width: number, height: number): Frame {
  const box = { left: 44, top: 8, right: width - 12, bottom: height - 24 };
  const [x, y] = [makeScale("linear", [0, 1]), makeScale("linear", [0, 1])];
  const ticks = { xTicks: xTicks("value", 0, 1, width / 80), yTicks: valueTicks(y, height / 40) };
  return makeFrame({ width, height, box, x, y, xKind: "value", ...ticks });
}

const CURVE: Point[] = [
  [0, 1],
  [0.5, 0.9],
  [1, 0.4],
];

test("a view exports its axes and its line", async () => {
  const view = new PrCurve(
    document.createElement("div"),
    CURVE,
    makeTheme((name) => name),
  );
  const svg = await (await view.export("SVG")).text();
  for (const text of ["Precision and recall", ">0.2<", ">1.0<"]) expect(svg).toContain(text);
  expect(new RegExp(`<path d="([^"]*)"[^>]*stroke="${COLOR}"`).exec(svg)?.[1]).toBe("M44 8L456 48.8L868 252.8");
  view.destroy();
});

test("a view shows the point nearest to the pointer, until the pointer leaves", async () => {
  const host = document.createElement("div");
  const view = new PrCurve(
    host,
    CURVE,
    makeTheme((name) => name),
  );
  host.dispatchEvent(new PointerEvent("pointermove", { clientX: 180, clientY: 50 }));
  expect(view.hovered).toEqual([0.5, 0.9]);
  expect(await (await view.export("SVG")).text()).toContain('fill="--surface">0.5<');
  host.dispatchEvent(new PointerEvent("pointerleave"));
  expect(view.hovered).toBeNull();
  view.destroy();
});
