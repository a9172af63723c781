/* Table of all actions. Buttons, shortcuts and the command palette run the same entries, so the list of shortcuts is always complete. */
import { SvelteMap } from "svelte/reactivity";
import type { IconName } from "./icons";

export interface Action {
  id: string;
  /** Empty for keys that need no explanation, such as Home in a list. */
  title: string;
  /** Other words that people search for, such as the names in TensorBoard and Weights & Biases. */
  also?: string;
  /** `/`, `Mod+K` (Command on a Mac, Control elsewhere), `Shift+ArrowDown`; the first is the one shown. */
  keys?: string[];
  /** Heading in the command palette and the list of shortcuts. */
  group?: string;
  icon?: IconName;
  /** Text at the right of the row in the command palette. */
  hint?: string;
  enabled?(): boolean;
  run(): void;
}

/** Finds entries that are too many for the table: tags, runs. */
export interface Source {
  group: string;
  find(words: string): Action[];
}

/** A pointer gesture, for the list of shortcuts. */
export interface Gesture {
  group: string;
  title: string;
  how: string;
}

const table = new SvelteMap<string, Action>();
const sources = new SvelteMap<Source, true>();
const gestures = new SvelteMap<Gesture, true>();

export function register(actions: Action[]): () => void {
  for (const action of actions) table.set(action.id, action);
  return () => {
    for (const action of actions) if (table.get(action.id) === action) table.delete(action.id);
  };
}

export function provide(source: Source): () => void {
  sources.set(source, true);
  return () => sources.delete(source);
}

export function describe(list: Gesture[]): () => void {
  for (const gesture of list) gestures.set(gesture, true);
  return () => {
    for (const gesture of list) gestures.delete(gesture);
  };
}

export function allGestures(): Gesture[] {
  return [...gestures.keys()];
}

export function actions(): Action[] {
  return [...table.values()].filter((action) => action.enabled?.() ?? true);
}

export function allActions(): Action[] {
  return [...table.values()];
}

export function providers(): Source[] {
  return [...sources.keys()];
}

export const onMac = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform);

/** Returns the names that the table may have for a pressed key, such as `Mod+Shift+K`; the first one that has an action counts.
    A character that needs Shift is named without it: `?`. A digit is named by its key: Shift and 1 is `Shift+1`, also where that
    prints `!`, or where 1 itself needs Shift. Where the character on a digit's key has an action, such as `/`, that comes first. */
export function chords(event: KeyboardEvent): string[] {
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const isNamed = event.key.length > 1 || /[A-Z]/.test(key);
  const digit = /^Digit(\d)$/.exec(event.code)?.[1];
  const printed = withModifiers(event, key === " " ? "Space" : key, event.shiftKey && isNamed);
  if (digit === undefined) return [printed];
  const pressed = withModifiers(event, digit, event.shiftKey);
  return /\d/.test(key) ? [pressed] : [printed, pressed];
}

function withModifiers(event: KeyboardEvent, key: string, shift: boolean): string {
  const mod = onMac ? event.metaKey : event.ctrlKey;
  return [mod && "Mod", event.altKey && "Alt", shift && "Shift", key].filter(Boolean).join("+");
}

const SIGNS: Record<string, string> = {
  Mod: onMac ? "⌘" : "Ctrl",
  Shift: "⇧",
  Alt: onMac ? "⌥" : "Alt",
  Enter: "↵",
  Escape: "esc",
  Space: "space",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Backspace: "⌫",
  Delete: "del",
};

/** Returns the labels of the keys of a shortcut: `["⌘", "K"]`. */
export function caps(keys: string): string[] {
  return keys.split(/(?<=.)\+/).map((key) => SIGNS[key] ?? key);
}

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName) || isTextInput(target))
  );
}

function isTextInput(target: HTMLElement): boolean {
  return target instanceof HTMLInputElement && !/^(checkbox|radio|button|range|submit)$/.test(target.type);
}

/** Set while something that takes the focus is loading: keys pressed meanwhile are not shortcuts. */
export const keyboard = { held: false };

/** Whether a field, a menu or a dialog has the focus. */
export function isHeld(event: KeyboardEvent): boolean {
  return keyboard.held || isTyping(event.target) || document.querySelector("dialog[open], .menu[popover]") !== null;
}

/** Runs the action of a key. While a field, a menu or a dialog has the focus, only shortcuts with Mod count. In a field, undo is the
    browser's: it undoes the typing. */
export function dispatch(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const pressed = chords(event);
  if (isHeld(event) && !pressed[0]!.startsWith("Mod+")) return;
  if (isTyping(event.target) && pressed[0] === "Mod+Z") return;
  const action = pressed
    .map((chord) => actions().findLast((candidate) => candidate.keys?.includes(chord)))
    .find((candidate) => candidate !== undefined);
  if (!action) return;
  event.preventDefault();
  action.run();
}
