/* Draws the picture with a pen: frames, edges, boxes, then shapes on the edges. */
import { luminance } from "./coloring";
import type { Pen } from "../../charts/pen";
import { drawText } from "../../charts/shapes";
import type { Theme } from "../../charts/theme";
import {
  CELL_PX,
  cellWidth,
  detailLines,
  DETAIL_FONT,
  FRAME,
  LABEL_FONT,
  labelOf,
  shapeText,
  summary,
  typeOf,
} from "./boxText";
import type { Camera } from "./camera";
import type { Box, Line, Picture } from "./picture";

export interface GraphScene {
  picture: Picture;
  selected: string | null;
  hovered: Box | null;
  found: ReadonlySet<Box>;
  /** Boxes on a traced path. Null: nothing is traced. */
  traced: ReadonlySet<Box> | null;
  showShapes: boolean;
  /** Fill of a box, if it is colored. */
  fill(box: Box): string | null;
  /** Fill of one of the equal blocks. */
  memberFill(box: Box, member: number): string | null;
  tokens: GraphTokens;
}

export interface GraphTokens {
  bg: string;
  lineStrong: string;
  inkOnLight: string;
  inkOnDark: string;
}

/** Luminance below which light text has more contrast than dark text. */
const DARK = 0.18;
const RADIUS = 6;
const ARROW_PX = 6;
/** Below this scale, text is left out. */
const MIN_TEXT_SCALE = 0.34;
const MIN_DETAIL_SCALE = 0.5;

interface Canvas {
  width: number;
  height: number;
  theme: Theme;
}

export function drawGraph(pen: Pen, scene: GraphScene, camera: Camera, canvas: Canvas): void {
  const drawing = new Drawing(pen, scene, camera, canvas);
  pen.save();
  pen.scale(camera.scale, camera.scale);
  pen.translate(-camera.x, -camera.y);
  drawing.draw();
  pen.restore();
}

class Drawing {
  private readonly view: { left: number; top: number; right: number; bottom: number };
  private readonly labels: { x: number; y: number; width: number }[] = [];
  private readonly labeled = new Map<Box, Set<string>>();

  constructor(
    private readonly pen: Pen,
    private readonly scene: GraphScene,
    private readonly camera: Camera,
    private readonly canvas: Canvas,
  ) {
    const { x, y, scale } = camera;
    this.view = { left: x, top: y, right: x + canvas.width / scale, bottom: y + canvas.height / scale };
  }

  draw(): void {
    const { boxes, lines } = this.scene.picture;
    const visible = boxes.filter((box) => this.isVisible(box));
    for (const box of visible) if (box.isOpen) this.frame(box);
    for (const line of lines) this.line(line);
    for (const box of visible) if (!box.isOpen) this.closed(box);
    if (this.camera.scale >= MIN_TEXT_SCALE) {
      for (const box of visible) if (box.isOpen) this.header(box);
      if (this.scene.showShapes && this.camera.scale >= MIN_DETAIL_SCALE) for (const line of lines) this.shape(line);
    }
    for (const box of visible) this.rings(box);
  }

  private isVisible({ x, y, width, height }: Box): boolean {
    const { left, top, right, bottom } = this.view;
    return x < right && x + width + 12 > left && y - 12 < bottom && y + height > top;
  }

  private alpha(box: Box): number {
    const { traced } = this.scene;
    return traced === null || traced.has(box) ? 1 : 0.25;
  }

  private stack(box: Box, radius: number): void {
    const { pen, scene } = this;
    if (!box.item.members) return;
    for (const by of [8, 4]) {
      pen.globalAlpha = 0.55 * this.alpha(box);
      this.rounded(
        box.x + by,
        box.y - by,
        box.width,
        box.height,
        radius,
        this.canvas.theme.surface,
        scene.tokens.lineStrong,
      );
    }
  }

  private frame(box: Box): void {
    const { pen, scene, canvas } = this;
    this.stack(box, 8);
    pen.globalAlpha = this.alpha(box);
    const fill = box.depth % 2 === 0 ? canvas.theme.surface : scene.tokens.bg;
    this.rounded(box.x, box.y, box.width, box.height, 8, fill, scene.tokens.lineStrong);
    pen.globalAlpha = 1;
  }

  private header(box: Box): void {
    const { pen, canvas } = this;
    const { theme } = canvas;
    pen.globalAlpha = this.alpha(box);
    const y = box.y + 18;
    const font = `600 13px ${theme.font}`;
    const label = labelOf(box.item);
    this.chevron(box.x + 16, y, true);
    drawText(pen, label, box.x + 28, y, { font, color: theme.ink });
    drawText(pen, summary(box.item), box.x + 28, y + 15, { font: `${DETAIL_FONT} ${theme.font}`, color: theme.ink3 });
    if (box.item.members) this.cells(box);
    pen.globalAlpha = 1;
  }

  /** One cell per equal block. The one that is shown has a ring. */
  private cells(box: Box): void {
    const { pen, scene, canvas } = this;
    const count = box.item.members!.length;
    const width = cellWidth(box.item);
    for (let i = 0; i < count; i++) {
      const { x, y } = cellPlace(box, i);
      const fill = scene.memberFill(box, i) ?? canvas.theme.grid;
      this.rounded(x, y, Math.max(2, width - 2), CELL_PX, 2, fill, null);
      if (i !== box.member) continue;
      this.rounded(x - 2, y - 2, width + 2, CELL_PX + 4, 4, null, canvas.theme.accent, 2);
      const name = box.item.member_labels?.[i] ?? String(i);
      const text = /\d+$/.exec(name)?.[0] ?? name;
      drawText(pen, text, x + width / 2 - 1, y + CELL_PX + 8, {
        font: `10px ${canvas.theme.font}`,
        color: canvas.theme.ink2,
        align: "center",
      });
    }
  }

  private closed(box: Box): void {
    const { pen, scene, canvas } = this;
    const { theme } = canvas;
    const { item } = box;
    const isPill = item.kind === "input" || item.kind === "output";
    const radius = isPill ? Math.min(box.height, 30) / 2 : RADIUS;
    this.stack(box, radius);
    pen.globalAlpha = this.alpha(box);
    const fill = scene.fill(box);
    this.rounded(box.x, box.y, box.width, box.height, radius, fill ?? theme.surface, scene.tokens.lineStrong);
    if (this.camera.scale < MIN_TEXT_SCALE) {
      pen.globalAlpha = 1;
      return;
    }
    const isDark = fill !== null && luminance(fill) < DARK;
    const onFill = isDark ? scene.tokens.inkOnDark : scene.tokens.inkOnLight;
    const [ink, quiet] = fill === null ? [theme.ink, theme.ink3] : [onFill, onFill];
    const isScope = item.kind === "scope" || item.kind === "repeat";
    const type = typeOf(item);
    const lines = detailLines(item);
    const y = box.y + (lines.length ? 16 : box.height / 2);
    pen.save();
    pen.beginPath();
    pen.rect(box.x, box.y, box.width, box.height);
    pen.clip();
    const label = labelOf(item);
    const font = `${LABEL_FONT} ${theme.font}`;
    if (isPill)
      drawText(pen, label, box.x + box.width / 2, y, {
        font,
        color: fill === null ? theme.ink2 : ink,
        align: "center",
      });
    else {
      if (isScope) this.chevron(box.x + box.width - 13, y, false, fill === null ? theme.ink3 : ink);
      drawText(pen, label, box.x + 12, y, { font, color: ink });
      if (type && this.camera.scale >= MIN_DETAIL_SCALE)
        drawText(pen, type, box.x + box.width - (isScope ? 24 : 12), y, {
          font: `${DETAIL_FONT} ${theme.font}`,
          color: quiet,
          align: "right",
        });
    }
    if (this.camera.scale >= MIN_DETAIL_SCALE)
      lines.forEach((line, i) =>
        drawText(pen, line, box.x + 12, y + 17 + 15 * i, { font: `${DETAIL_FONT} ${theme.font}`, color: quiet }),
      );
    pen.restore();
    pen.globalAlpha = 1;
  }

  private chevron(x: number, y: number, isOpen: boolean, color = this.canvas.theme.ink3): void {
    const { pen } = this;
    pen.strokeStyle = color;
    pen.lineWidth = 1.5;
    pen.beginPath();
    if (isOpen) {
      pen.moveTo(x - 4, y - 2);
      pen.lineTo(x, y + 2);
      pen.lineTo(x + 4, y - 2);
    } else {
      pen.moveTo(x - 2, y - 4);
      pen.lineTo(x + 2, y);
      pen.lineTo(x - 2, y + 4);
    }
    pen.stroke();
  }

  private rings(box: Box): void {
    const { scene, canvas } = this;
    const radius = box.isOpen ? 10 : RADIUS + 2;
    if (scene.found.has(box))
      this.rounded(box.x, box.y, box.width, box.height, radius - 2, null, canvas.theme.accent, 2);
    if (scene.selected === box.path)
      this.rounded(box.x - 4, box.y - 4, box.width + 8, box.height + 8, radius + 2, null, canvas.theme.accent, 2);
    else if (scene.hovered === box && !box.isOpen)
      this.rounded(box.x, box.y, box.width, box.height, radius - 2, null, canvas.theme.ink3, 1.5);
  }

  private line(line: Line): void {
    const { pen, canvas, scene } = this;
    const { theme } = canvas;
    const { points } = line;
    if (!this.crosses(points)) return;
    const isHot = scene.selected !== null && [line.from, line.to].some(({ path }) => path === scene.selected);
    pen.globalAlpha = scene.traced ? Math.min(this.alpha(line.from), this.alpha(line.to)) : isHot ? 1 : 0.75;
    pen.strokeStyle = isHot ? theme.ink : theme.ink3;
    pen.lineWidth = (isHot ? 1.75 : 1.1) + Math.min(2, Math.log2(line.count) * 0.3);
    pen.setLineDash(line.isLane ? [4, 3] : []);
    pen.beginPath();
    if (line.isLane) this.lanePath(points);
    else this.curvePath(points, line);
    pen.stroke();
    pen.setLineDash([]);
    if (line.kind !== "leaves") this.arrow(points, line.isLane);
    if (line.stub !== null) this.stubLabel(line);
    pen.globalAlpha = 1;
  }

  private crosses(points: Line["points"]): boolean {
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const [x, y] of points) {
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
    const { view } = this;
    return left - 20 < view.right && right + 20 > view.left && top - 60 < view.bottom && bottom + 60 > view.top;
  }

  private curvePath(points: Line["points"], { kind, from, to }: Line): void {
    const { pen } = this;
    const [first] = points;
    // What enters a scope starts at its upper border, above its header.
    if (kind === "enters") {
      pen.moveTo(first![0], from.y);
      pen.lineTo(...first!);
    } else pen.moveTo(...first!);
    for (let i = 1; i < points.length; i++) {
      const [[x0, y0], [x, y]] = [points[i - 1]!, points[i]!];
      if (Math.abs(x - x0) < 0.5) pen.lineTo(x, y);
      else {
        const middle = (y0 + y) / 2;
        pen.bezierCurveTo(x0, middle, x, middle, x, y);
      }
    }
    if (kind === "leaves") pen.lineTo(points.at(-1)![0], to.y + to.height);
  }

  private lanePath([start, down, up, end]: Line["points"]): void {
    const { pen } = this;
    const turn = Math.sign(up![1] - down![1]) * Math.min(8, Math.abs(up![1] - down![1]) / 2);
    pen.moveTo(...start!);
    pen.lineTo(down![0] - 8, down![1]);
    pen.bezierCurveTo(down![0], down![1], down![0], down![1], down![0], down![1] + turn);
    pen.lineTo(up![0], up![1] - turn);
    pen.bezierCurveTo(up![0], up![1], up![0], up![1], up![0] - 8, up![1]);
    pen.lineTo(...end!);
  }

  private arrow(points: Line["points"], isLane: boolean): void {
    const { pen } = this;
    const [x, y] = points.at(-1)!;
    pen.fillStyle = pen.strokeStyle;
    pen.beginPath();
    pen.moveTo(x, y);
    if (isLane) {
      pen.lineTo(x + ARROW_PX, y - ARROW_PX / 2);
      pen.lineTo(x + ARROW_PX, y + ARROW_PX / 2);
    } else {
      pen.lineTo(x - ARROW_PX / 2, y - ARROW_PX);
      pen.lineTo(x + ARROW_PX / 2, y - ARROW_PX);
    }
    pen.closePath();
    pen.fill();
  }

  private stubLabel({ points, stub }: Line): void {
    const [x, y] = points[0]!;
    const { theme } = this.canvas;
    if (this.camera.scale >= MIN_DETAIL_SCALE)
      drawText(this.pen, stub!.slice(0, 24), x + 4, y + 2, { font: `10px ${theme.font}`, color: theme.ink3 });
  }

  /** Writes the shape beside the middle of the last stretch of an edge, if there is room. */
  private shape({ points, to, shape, shapes, kind, isLane, stub }: Line): void {
    if (shape === null || kind !== "inner" || isLane || stub !== null) return;
    const { pen, canvas } = this;
    const [[x0, y0], [x1, y1]] = [points.at(-2)!, points.at(-1)!];
    const text = `${shapeText(shape)}${shapes > 1 ? ` +${shapes - 1}` : ""}`;
    const width = text.length * 5.6 + 6;
    const [x, y] = [(x0 + x1) / 2 + 7, (y0 + y1) / 2];
    if (y1 - y0 < 22 || this.labels.some((at) => Math.abs(at.y - y) < 13 && x < at.x + at.width && at.x < x + width))
      return;
    const texts = this.labeled.get(to) ?? new Set();
    if (texts.has(text)) return;
    this.labeled.set(to, texts.add(text));
    this.labels.push({ x, y, width });
    pen.globalAlpha = 0.85;
    drawText(pen, text, x, y, { font: `${DETAIL_FONT} ${canvas.theme.font}`, color: canvas.theme.ink3 });
    pen.globalAlpha = 1;
  }

  private rounded(
    x: number,
    y: number,
    width: number,
    height: number,
    radius: number,
    fill: string | null,
    stroke: string | null,
    lineWidth = 1,
  ): void {
    const { pen } = this;
    const r = Math.min(radius, width / 2, height / 2);
    const k = r * 0.45;
    pen.beginPath();
    pen.moveTo(x + r, y);
    pen.lineTo(x + width - r, y);
    pen.bezierCurveTo(x + width - k, y, x + width, y + k, x + width, y + r);
    pen.lineTo(x + width, y + height - r);
    pen.bezierCurveTo(x + width, y + height - k, x + width - k, y + height, x + width - r, y + height);
    pen.lineTo(x + r, y + height);
    pen.bezierCurveTo(x + k, y + height, x, y + height - k, x, y + height - r);
    pen.lineTo(x, y + r);
    pen.bezierCurveTo(x, y + k, x + k, y, x + r, y);
    pen.closePath();
    if (fill !== null) {
      pen.fillStyle = fill;
      pen.fill();
    }
    if (stroke === null) return;
    pen.strokeStyle = stroke;
    pen.lineWidth = lineWidth;
    pen.stroke();
  }
}

/** Returns the upper left corner of the cell of one of the equal blocks. */
export function cellPlace(box: Box, member: number): { x: number; y: number } {
  const width = cellWidth(box.item);
  return { x: box.x + box.width - FRAME.side - (box.item.members!.length - member) * width, y: box.y + 8 };
}
