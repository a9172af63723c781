// A line for tests.
import type { Line } from "./data";

export function testLine(run: string, values: number[], more: Partial<Line> = {}): Line {
  const column = Float32Array.from(values);
  return {
    key: run,
    run,
    tag: "t",
    points: values.length,
    last: { step: 0, wall: 0, value: 0 },
    smooth: column,
    raw: column,
    marks: [],
    restarts: [],
    attempt: false,
    ...more,
  };
}
