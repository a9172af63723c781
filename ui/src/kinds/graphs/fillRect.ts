import type { Pen } from "../../charts/pen";
import type { Area } from "./camera";

/** Draws a rectangle with a fill, a border or both. */
export function fillRect(pen: Pen, { x, y, width, height }: Area, fill: string | null, stroke: string | null): void {
  if (fill !== null) {
    pen.fillStyle = fill;
    pen.fillRect(x, y, width, height);
  }
  if (stroke === null) return;
  pen.strokeStyle = stroke;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.rect(x, y, width, height);
  pen.stroke();
}
