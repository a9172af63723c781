// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from "vitest";
import { caps, chords, dispatch, register } from "./actions";

const stops: (() => void)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  document.body.replaceChildren();
});

function press(key: string, init: KeyboardEventInit = {}, target: EventTarget = document.body): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...init });
  Object.defineProperty(event, "target", { value: target });
  dispatch(event);
  return event;
}

test("a key runs its action", () => {
  const go = vi.fn();
  stops.push(register([{ id: "go", title: "Go", keys: ["G"], run: go }]));
  expect(press("g").defaultPrevented).toBe(true);
  expect(go).toHaveBeenCalledOnce();
});

test("while typing only chords with Mod are ours", () => {
  const plain = vi.fn();
  const mod = vi.fn();
  stops.push(
    register([
      { id: "plain", title: "", keys: ["F"], run: plain },
      { id: "mod", title: "", keys: ["Mod+F"], run: mod },
    ]),
  );
  const field = document.body.appendChild(document.createElement("input"));
  press("f", {}, field);
  press("f", { ctrlKey: true }, field);
  expect(plain).not.toHaveBeenCalled();
  expect(mod).toHaveBeenCalledOnce();
});

test("while typing, undo is left to the field", () => {
  const undo = vi.fn();
  stops.push(register([{ id: "undo", title: "", keys: ["Mod+Z"], run: undo }]));
  const field = document.body.appendChild(document.createElement("input"));
  expect(press("z", { ctrlKey: true }, field).defaultPrevented).toBe(false);
  expect(undo).not.toHaveBeenCalled();
  press("z", { ctrlKey: true });
  expect(undo).toHaveBeenCalledOnce();
});

test("an action that is not enabled leaves the key to the browser", () => {
  const find = vi.fn();
  stops.push(register([{ id: "find", title: "", keys: ["Mod+F"], enabled: () => false, run: find }]));
  expect(press("f", { ctrlKey: true }).defaultPrevented).toBe(false);
  expect(find).not.toHaveBeenCalled();
});

test("the later of two actions on one key wins, until it goes", () => {
  const board = vi.fn();
  const view = vi.fn();
  stops.push(register([{ id: "a", title: "", keys: ["Escape"], run: board }]));
  const leave = register([{ id: "b", title: "", keys: ["Escape"], run: view }]);
  press("Escape");
  leave();
  press("Escape");
  expect([view, board].map((f) => f.mock.calls.length)).toEqual([1, 1]);
});

test.each([
  [{ key: "k", ctrlKey: true }, ["Mod+K"]],
  [{ key: "?", shiftKey: true }, ["?"]],
  [{ key: "ArrowDown", shiftKey: true }, ["Shift+ArrowDown"]],
  [{ key: "L", shiftKey: true }, ["Shift+L"]],
  [{ key: " " }, ["Space"]],
  [{ key: "1", code: "Digit1" }, ["1"]],
  [{ key: "1", code: "Numpad1" }, ["1"]],
  [{ key: "!", code: "Digit1", shiftKey: true }, ["!", "Shift+1"]],
  // A French keyboard prints digits with Shift.
  [{ key: "&", code: "Digit1" }, ["&", "1"]],
  [{ key: "1", code: "Digit1", shiftKey: true }, ["Shift+1"]],
  // A German keyboard has / above 7.
  [{ key: "/", code: "Digit7", shiftKey: true }, ["/", "Shift+7"]],
])("%j is named %j", (init, expected) => {
  expect(chords(new KeyboardEvent("keydown", init))).toEqual(expected);
});

test("a printed character goes before the digit of its key", () => {
  const filter = vi.fn();
  const view = vi.fn();
  stops.push(
    register([
      { id: "filter", title: "", keys: ["/"], run: filter },
      { id: "view", title: "", keys: ["Shift+7"], run: view },
    ]),
  );
  press("/", { code: "Digit7", shiftKey: true });
  press("&", { code: "Digit7", shiftKey: true });
  expect([filter, view].map((f) => f.mock.calls.length)).toEqual([1, 1]);
});

test("keys are printed as caps", () => {
  expect(caps("Mod+K")).toEqual(["Ctrl", "K"]);
  expect(caps("Shift+ArrowDown")).toEqual(["⇧", "↓"]);
  expect(caps("+")).toEqual(["+"]);
});
