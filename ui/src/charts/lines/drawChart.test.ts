import { beforeAll, describe, expect, test } from "vitest";
import type { ChartData, Line } from "./data";
import { drawChart } from "./drawChart";
import { drawEmphasis } from "./drawEmphasis";
import { exportChart } from "./exportChart";
import { loadDetails } from "./lazyDetails";
import { makeLineFrame } from "./lineFrame";
import type { LineScene } from "./scene";
import { spikesOf } from "./spikes";
import { drawDensitySpikes } from "./density";
import { hiddenExtremes } from "./hiddenValues";
import { testLine } from "./testLine";
import { SvgPen } from "../svgPen";
import { makeTheme } from "../theme";

const theme = { ...makeTheme((name) => name), rawAlpha: 0.3, envelopeAlpha: 0.2, dimAlpha: 0.2 };

beforeAll(loadDetails);

function scene(lines: Line[], more: Partial<LineScene> = {}): LineScene {
  const x = Float64Array.from(lines[0]!.smooth, (_, i) => i);
  const data: ChartData = {
    x,
    span: [0, x.length - 1],
    whole: true,
    exact: true,
    points: x.length,
    drawn: x.length,
    lines,
  };
  const frame = makeLineFrame({
    width: 400,
    height: 200,
    x: data.span,
    xKind: "step",
    y: [0, 1],
    yKind: "linear",
    bend: 1,
    roomy: false,
  });
  return {
    frame,
    data,
    look: (l) => ({ color: `#${l.run}`, label: `run ${l.run}`, dash: [], live: false }),
    envelopes: "all",
    automaticY: true,
    roomy: false,
    theme,
    ...more,
  };
}

function draw(of: LineScene): string {
  const pen = new SvgPen(400, 200);
  drawChart(pen, of);
  return pen.toString();
}

const strokes = (svg: string, color: string): string[] =>
  [...svg.matchAll(new RegExp(`<path d="([^"]*)"[^>]*stroke="${color}"`, "g"))].map((match) => match[1]!);
const count = (text: string, part: RegExp): number => text.match(part)?.length ?? 0;

test("a line connects only its own points", () => {
  const [path] = strokes(draw(scene([testLine("aaa", [0.1, NaN, 0.3, NaN, 0.5])])), "#aaa");
  expect([count(path!, /M/g), count(path!, /L/g)]).toEqual([1, 2]);
});

test("a logged NaN breaks the line and is marked on the axis", () => {
  const marks = [{ x: 2, step: 2, what: "nan" as const, count: 1 }];
  const svg = draw(scene([testLine("aaa", [0.1, 0.2, NaN, 0.3, 0.4], { marks })]));
  expect(count(strokes(svg, "#aaa")[0]!, /M/g)).toBe(2);
  expect(svg).toContain(">NaN<");
});

test("an emphasized line has a casing below it", () => {
  const pen = new SvgPen(400, 200);
  drawEmphasis(pen, scene([testLine("aaa", [0.1, 0.2]), testLine("bbb", [0.3, 0.4])]), "aaa");
  const svg = pen.toString();
  const [casing, bold] = [
    svg.indexOf('stroke="--surface" stroke-width="5"'),
    svg.indexOf('stroke="#aaa" stroke-width="2.25"'),
  ];
  expect(casing).toBeGreaterThan(0);
  expect(bold).toBeGreaterThan(casing);
  expect(svg).not.toContain("#bbb");
});

test("a dense line is drawn in hairlines on screen and in one stroke in an exported image", () => {
  const dense = scene([
    testLine(
      "aaa",
      Array.from({ length: 600 }, (_, i) => 0.5 + 0.3 * Math.sin(i)),
    ),
  ]);
  expect(strokes(draw(dense), "#aaa")).toHaveLength(2);
  expect(strokes(draw({ ...dense, vector: true }), "#aaa")).toHaveLength(1);
});

describe("a one-step spike among twenty runs", () => {
  /** The spike is at index 300, far above the noise of the others. */
  const noise = (seed: number): number[] =>
    Array.from({ length: 600 }, (_, i) => 0.4 + 0.05 * Math.sin(i * 7.1 + seed * i));
  const twenty = (spiked: Partial<Line>): LineScene =>
    scene(
      Array.from({ length: 20 }, (_, i) => testLine(`a${String(i).padStart(2, "0")}`, noise(i), i === 7 ? spiked : {})),
    );
  const spike = (column: number[]): Float32Array => Float32Array.from(column, (v, i) => (i === 300 ? 0.95 : v));
  const drawnAt = (of: LineScene): RegExp => {
    const [x, y] = [of.frame.px(300), of.frame.py(0.95)].map((v) => Number(v.toFixed(2)));
    return new RegExp(`<path d="M${x} [\\d.]+L${x} ${y}"[^>]*stroke="#a07"[^>]*>`);
  };

  test.each([
    ["hidden in a downsampled cell", { lo: Float32Array.from(noise(7)), hi: spike(noise(7)) }],
    ["hidden by smoothing", { raw: spike(noise(7)) }],
  ])("is drawn at full strength when it is %s", (_, spiked) => {
    for (const vector of [false, true]) {
      const of = { ...twenty(spiked), vector };
      const [drawn] = drawnAt(of).exec(draw(of)) ?? [""];
      expect(drawn).not.toBe("");
      expect(drawn).not.toContain("opacity");
    }
  });

  test("is the only one: noise is no spike", () => {
    const raw = Float32Array.from(noise(3), (v, i) => v + 0.1 * Math.sin(i * i));
    expect(spikesOf(testLine("aaa", noise(3), { raw }))).toEqual([]);
  });
});

describe("a one-step spike of a line that is only in the density", () => {
  const flat = (value: number): Float32Array =>
    Float32Array.from({ length: 200 }, (_, i) => value + 0.01 * Math.sin(i));
  const dense = (peak: number): LineScene => {
    const one = scene([testLine("aaa", [0.4, 0.4])]);
    const hi = Float32Array.from(flat(0.5), (v, i) => (i === 100 ? peak : v));
    const count = new Uint16Array(200 * 10);
    const image = { width: 200, height: 10, lines: 300, scale: "linear" as const, y: [0.3, 0.5] as const, count };
    return { ...one, data: { ...one.data, density: { ...image, x: one.data.span, lo: flat(0.3), hi } } };
  };

  test("is drawn at full strength", () => {
    const { data, frame, theme } = dense(0.9);
    const pen = new SvgPen(400, 200);
    drawDensitySpikes(pen, data.density!, frame, theme);
    const paths = strokes(pen.toString(), "--ink-3");
    expect(paths).toHaveLength(1);
    expect(paths[0]).not.toContain("opacity");
  });

  test("is marked on the edge when it is outside the automatic range", () => {
    expect(hiddenExtremes(dense(7)).map(({ edge, label }) => [edge, label])).toEqual([["top", "7"]]);
  });
});

test("an envelope has no gaps where cells are wider than a pixel", () => {
  const cells = testLine("aaa", [0.2, 0.4, 0.3], {
    lo: Float32Array.of(0.1, 0.2, 0.1),
    hi: Float32Array.of(0.3, 0.6, 0.4),
  });
  const columns = [...draw(scene([cells])).matchAll(/<rect x="(\d+)"[^>]*fill="#aaa"/g)].map((match) =>
    Number(match[1]),
  );
  expect(columns).toEqual(Array.from({ length: columns.length }, (_, i) => columns[0]! + i));
  expect(columns.length).toBeGreaterThan(340);
});

test("ten thousand NaN are drawn as fewer than a hundred marks", () => {
  const marks = Array.from({ length: 10_000 }, (_, i) => ({
    x: (i / 10_000) * 3,
    step: i,
    what: "nan" as const,
    count: 1,
  }));
  const svg = draw(scene([testLine("aaa", [0.1, NaN, NaN, 0.2], { marks })]));
  expect(count(svg, /stroke="#aaa" stroke-width="2"/g)).toBeLessThan(100);
  expect(count(svg, />NaN</g)).toBe(1);
});

test("a single point is drawn as a dot", () => {
  expect(draw(scene([testLine("aaa", [NaN, 0.5, NaN])]))).toMatch(/<path d="M[^"]*a2.5[^"]*" fill="#aaa"/);
});

test("the value of a single point is printed, and of several points none", () => {
  expect(draw(scene([testLine("aaa", [NaN, 0.85, NaN], { points: 1 })]))).toContain(">0.8500<");
  expect(draw(scene([testLine("aaa", [0.85, 0.85, NaN], { points: 2 })]))).not.toContain(">0.8500<");
});

test("values of single points that would overlap are left out", () => {
  const ends = [0.5, 0.501, 0.9].map((value, i) => testLine(`a${i}`, [value], { points: 1 }));
  expect(count(draw(scene(ends)), />0\.\d{4}</g)).toBe(2);
});

/** Triangles that point out of the box of 400 × 200 pixels. */
const TRIANGLE = {
  top: /M[\d.]+ 3L[\d.]+ 11L[^>]*fill="--surface"/g,
  bottom: /M[\d.]+ 181L[\d.]+ 173L[^>]*fill="--surface"/g,
};

test("the extreme of a line outside the automatic range is marked on the edge, with its value", () => {
  const far = [testLine("aaa", [0.5, 0.4, 85, 60, 0.5]), testLine("bbb", [0.5, 0.4, 0.3, -7.5, 0.5])];
  const svg = draw(scene(far));
  expect([count(svg, TRIANGLE.top), count(svg, TRIANGLE.bottom)]).toEqual([1, 1]);
  expect(svg).toContain(">85<");
  expect(svg).toContain(">−7.5<");
  expect(count(draw(scene(far, { automaticY: false })), TRIANGLE.top)).toBe(0);
});

test("of a zoomed line, the extreme within the range of x is marked", () => {
  const whole = scene([testLine("aaa", [0.5, 99, 0.4, 85, 0.5, 0.5])]);
  const frame = makeLineFrame({
    width: 400,
    height: 200,
    x: [2, 4],
    xKind: "step",
    y: [0, 1],
    yKind: "linear",
    bend: 1,
    roomy: false,
  });
  const svg = draw({ ...whole, frame });
  expect(svg).toContain(">85<");
  expect(svg).not.toContain(">99<");
});

test("zeros and negative values on a log axis are marked on its lower edge", () => {
  const plain = scene([testLine("aaa", [0.5, 0, 0.5, -0.1, 0.5])]);
  const [y, yKind] = [[0.1, 1], "log"] as const;
  const frame = makeLineFrame({ width: 400, height: 200, x: [0, 4], xKind: "step", y, yKind, bend: 1, roomy: false });
  const svg = draw({ ...plain, frame });
  expect(count(svg, TRIANGLE.bottom)).toBe(2);
  expect(svg).toContain(">0<");
  expect(svg).toContain(">≤ 0<");
  expect(count(draw(plain), />≤ 0</g)).toBe(0);
});

test("an exported image has escaped names of axes and runs", async () => {
  const hostile = scene([testLine("aaa", [0.1, 0.2])], {
    look: () => ({ color: "#aaa", label: "<script>&", dash: [], live: false }),
  });
  const image = await exportChart(hostile, { title: "train/loss", x: "step", y: "loss", note: "all" }, "SVG");
  const svg = await image.text();
  expect(svg).toContain(">train/loss<");
  expect(svg).toContain("&lt;script&gt;&amp;");
  expect(svg).not.toContain("<script>");
  expect(svg.match(/<g /g)?.length).toBe(svg.match(/<\/g>/g)?.length);
});
