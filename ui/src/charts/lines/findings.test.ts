import { beforeAll, expect, test } from "vitest";
import { SvgPen } from "../svgPen";
import { makeTheme } from "../theme";
import { drawChart } from "./drawChart";
import { exportChart } from "./exportChart";
import { loadDetails } from "./lazyDetails";
import { makeLineFrame } from "./lineFrame";
import type { FindingMark, LineScene } from "./scene";
import { testLine } from "./testLine";

beforeAll(loadDetails);

function mark(severity: FindingMark["severity"], x: number): FindingMark {
  return { x, severity, color: `#${severity}`, label: `${severity} code`, text: "" };
}

/** Ten steps in a box of about 350 px. */
function scene(...findings: FindingMark[]): LineScene {
  const x = Float64Array.from({ length: 11 }, (_, i) => i);
  const lines = [
    testLine(
      "aaa",
      [...x].map(() => 0.5),
    ),
  ];
  const size = { width: 400, height: 200, roomy: false };
  return {
    frame: makeLineFrame({ ...size, x: [0, 10], xKind: "step", y: [0, 1], yKind: "linear", bend: 1 }),
    data: { x, span: [0, 10], whole: true, exact: true, points: 11, drawn: 11, lines },
    look: () => ({ color: "#aaa", label: "a", dash: [], live: false }),
    findings,
    envelopes: "all",
    automaticY: true,
    roomy: false,
    theme: makeTheme((name) => name),
  };
}

/** Returns the colors of the lines at steps, from left to right. */
function linesOf(of: LineScene): string[] {
  const pen = new SvgPen(400, 200);
  drawChart(pen, of);
  return [...pen.toString().matchAll(/<rect [^>]*width="1" [^>]*fill="#(error|warning|note)"/g)].map(
    (match) => match[1]!,
  );
}

test("each finding has a mark at its step", () => {
  expect(linesOf(scene(mark("note", 8), mark("error", 2)))).toEqual(["error", "note"]);
});

test("of findings that overlap, the most severe is drawn", () => {
  expect(linesOf(scene(mark("note", 5), mark("error", 5.1), mark("warning", 5.2)))).toEqual(["error"]);
});

test("a finding outside the range of x is not drawn", () => {
  expect(linesOf(scene(mark("error", 11)))).toEqual([]);
});

test("an exported image names the findings", async () => {
  const image = await exportChart(scene(mark("error", 2)), { title: "", x: "", y: "", note: "" }, "SVG");
  expect(await image.text()).toContain(">error code<");
});
