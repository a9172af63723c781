// @vitest-environment happy-dom
import { beforeEach, expect, test } from "vitest";
import { flag, go, list, load, oneOf, param, parse, real, stringify, text, view } from "./url";

const settled = () => new Promise<void>((resolve) => queueMicrotask(resolve));

beforeEach(() => load(""));

test("a state survives the way through the address", () => {
  const q = param("q", text, "");
  const smooth = param("smooth", real, 0.6);
  const log = param("log", flag, false);
  q.value = "^(?!.*test).*&=%# ü";
  smooth.value = 0.8;
  log.value = true;
  view.id = "charts";
  const hash = stringify();
  load("");
  expect([q.value, smooth.value, log.value, view.id]).toEqual(["", 0.6, false, null]);
  load(hash);
  expect([q.value, smooth.value, log.value, view.id]).toEqual(["^(?!.*test).*&=%# ü", 0.8, true, "charts"]);
});

test("one state has one address, whatever the order it was made in", () => {
  load("#charts&b=2&a=1");
  const one = stringify();
  load("#charts&a=1&b=2");
  expect(stringify()).toBe(one);
});

test("the initial value leaves no trace, and an unknown key is kept", () => {
  const smooth = param("smooth", real, 0.6);
  load("#charts&fromTheFuture=7");
  smooth.value = 0.8;
  expect(stringify()).toBe("#charts&fromTheFuture=7&smooth=0.8");
  smooth.value = 0.6;
  expect(stringify()).toBe("#charts&fromTheFuture=7");
});

test("what is no such value is the initial one", () => {
  const smooth = param("smooth", real, 0.6);
  const y = param("y", oneOf("linear", "log"), "linear");
  load("#charts&smooth=lots&y=cubic");
  expect([smooth.value, y.value]).toEqual([0.6, "linear"]);
});

test("a gesture is one entry of the history, and so are changes made together", async () => {
  const zoom = param("zoom", text, "");
  const q = param("q", text, "");
  await settled();
  const before = history.length;
  zoom.preview("1");
  zoom.preview("12");
  zoom.preview("123");
  zoom.value = "123";
  await settled();
  expect(history.length).toBe(before + 1);
  expect(location.hash).toBe("#&zoom=123");
  zoom.value = "4";
  q.value = "x";
  await settled();
  expect(history.length).toBe(before + 2);
});

test("going to a state replaces all of it", () => {
  const q = param("q", text, "");
  q.value = "old";
  go("#images&step=7");
  expect([q.value, view.id, stringify()]).toEqual(["", "images", "#images&step=7"]);
});

test.each([
  ["#scalars&regexInput=baseline&_smoothingWeight=0.8", "", { "": "charts", q: "baseline", smooth: "0.8" }],
  ["#scalars&smoothing=0.8", "", { "": "charts", smooth: "0.8" }],
  ["#scalars&tagFilter=loss%7Cacc&runSelectionState=eyJhIjp0cnVlfQ%3D%3D", "", { "": "charts", tags: "loss|acc" }],
  [
    "#timeseries",
    "?runFilter=%5Ebert&smoothing=0.9&tagFilter=loss&darkMode=true",
    { "": "charts", q: "^bert", smooth: "0.9", tags: "loss" },
  ],
  ["#distributions", "", { "": "histograms" }],
  [
    "#timeseries",
    `?pinnedCards=${encodeURIComponent('[{"plugin":"scalars","tag":"train/loss"},{"plugin":"images","tag":"x"},{"plugin":"scalars","tag":"a,b"}]')}`,
    { "": "charts", pins: "train/loss,a\\,b" },
  ],
  ["#timeseries&pinnedCards=broken", "", { "": "charts", pins: "" }],
])("TensorBoard's link %s %s is understood", (hash, search, expected) => {
  expect(Object.fromEntries(parse(hash, search))).toEqual(expected);
});

test.each([[[]], [["a"]], [["a,b", "c\\d", "e"]], [["train/loss", "x, y"]]])("the list %j survives", (values) => {
  expect(list.decode(list.encode(values))).toEqual(values);
});
