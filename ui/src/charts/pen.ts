/** The part of a canvas context that charts draw with. `SvgPen` has the same part, so screen, PNG and SVG come from one drawing. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | "save"
  | "restore"
  | "translate"
  | "scale"
  | "beginPath"
  | "moveTo"
  | "lineTo"
  | "closePath"
  | "arc"
  | "rect"
  | "clip"
  | "stroke"
  | "fill"
  | "fillRect"
  | "fillText"
  | "setLineDash"
  | "strokeStyle"
  | "fillStyle"
  | "globalAlpha"
  | "lineWidth"
  | "lineJoin"
  | "lineCap"
  | "font"
  | "textAlign"
  | "textBaseline"
> & { drawImage(image: HTMLCanvasElement, x: number, y: number, width: number, height: number): void };

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}
