/* State in the URL: `#charts&q=bert&runs=-3f2a&smooth=0.8`.
   First the view, then key=value pairs sorted by key, so that a state has one URL. It is in the hash, so the server never sees it, and
   links of TensorBoard arrive in the same place (see tensorboard.ts). Unknown keys are kept: a newer version may have written the link. */
import { SvelteMap } from "svelte/reactivity";
import { fromTensorboard } from "./tensorboard";

export interface Codec<T> {
  encode(value: T): string;
  /** Returns null for invalid text; the initial value is used instead. */
  decode(text: string): T | null;
}

export interface Param<T> {
  /** Setting it adds one entry to the browser's history. */
  value: T;
  /** Sets it while dragging or typing, with one history entry for the whole gesture. Setting `value` ends the gesture. */
  preview(value: T): void;
}

const VIEW = "";
/** Undefined for a known key without a value, so that readers depend on that key and not on the whole map. */
const raw = new SvelteMap<string, string | undefined>([[VIEW, undefined]]);
/** Browsers refuse more than about 200 changes of the URL in 10 s. */
const PREVIEW_EVERY_MS = 150;

let gesture: string | null = null;
let pending: "push" | "replace" | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

export function param<T>(key: string, codec: Codec<T>, initial: T): Param<T> {
  let text: string | undefined;
  let value = initial;
  if (!raw.has(key)) raw.set(key, undefined);
  return {
    get value() {
      const now = raw.get(key);
      if (now !== text) {
        text = now;
        value = now === undefined ? initial : (codec.decode(now) ?? initial);
      }
      return value;
    },
    set value(next) {
      const continued = gesture === key;
      gesture = null;
      if (store(key, codec.encode(next), codec.encode(initial)) || continued) schedule(continued ? "replace" : "push");
    },
    preview(next) {
      const mode = gesture === key ? "replace" : "push";
      gesture = key;
      if (store(key, codec.encode(next), codec.encode(initial))) schedule(mode, PREVIEW_EVERY_MS);
    },
  };
}

/** The view in the URL, or null. */
export const view = {
  get id(): string | null {
    return raw.get(VIEW) ?? null;
  },
  set id(id: string | null) {
    if (store(VIEW, id ?? "", "")) schedule("push");
  },
};

/** Returns the state as in the URL, for links and saved views. `changes` are texts of keys that differ. */
export function stringify(to = raw.get(VIEW) ?? "", changes: Record<string, string> = {}): string {
  const texts = new Map([...raw, ...Object.entries(changes)]);
  const set = [...texts].filter((pair): pair is [string, string] => pair[0] !== VIEW && pair[1] !== undefined);
  const pairs = set.sort().map(([key, value]) => `${escape(key)}=${escape(value)}`);
  return `#${[escape(to), ...pairs].join("&")}`;
}

/** Opens a state, with one history entry. */
export function go(hash: string): void {
  if (hash === stringify()) return;
  load(hash);
  schedule("push");
}

/** Returns the full URL of the current state. */
export function link(): string {
  flush();
  return location.href;
}

export function load(hash: string, search = ""): void {
  const next = parse(hash, search);
  for (const key of new Set([...raw.keys(), ...next.keys()])) raw.set(key, next.get(key));
}

export function parse(hash: string, search = ""): Map<string, string> {
  const pairs = new Map<string, string>();
  for (const [index, part] of hash.replace(/^#/, "").split("&").entries()) {
    if (part === "") continue;
    const at = part.indexOf("=");
    if (at < 0 && index === 0) pairs.set(VIEW, unescape(part));
    else if (at > 0) pairs.set(unescape(part.slice(0, at)), unescape(part.slice(at + 1)));
  }
  return fromTensorboard(pairs, new URLSearchParams(search));
}

function store(key: string, text: string, initial: string): boolean {
  const before = raw.get(key);
  const after = text === initial ? undefined : text;
  raw.set(key, after);
  return before !== after;
}

function schedule(mode: "push" | "replace", delay = 0): void {
  if (pending !== "push") pending = mode;
  if (pending === "push" || delay === 0) queueMicrotask(flush);
  else timer ??= setTimeout(flush, delay);
}

function flush(): void {
  clearTimeout(timer);
  timer = undefined;
  if (pending === null) return;
  const address = location.pathname + stringify();
  if (pending === "push") history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  pending = null;
}

// `&`, `=`, `%`, `#` and spaces would break the URL; the rest stays readable.
function escape(text: string): string {
  return encodeURIComponent(text).replace(/%(2F|3A|2C|40|24|7C|5E|28|29|3B)/g, (code) => decodeURIComponent(code));
}

function unescape(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, "%20"));
  } catch {
    return text; // a lone % typed by hand
  }
}

function follow(): void {
  gesture = null;
  load(location.hash);
}

if (typeof window !== "undefined") {
  load(location.hash, location.search);
  // Rewrites a link of TensorBoard at once, so that copies of it are in our form.
  if (location.search || location.hash) schedule("replace");
  window.addEventListener("popstate", follow);
  window.addEventListener("hashchange", follow);
}

export const text: Codec<string> = { encode: (value) => value, decode: (value) => value };

export const flag: Codec<boolean> = { encode: (value) => (value ? "1" : "0"), decode: (value) => value === "1" };

export const real: Codec<number> = {
  encode: (value) => String(value),
  decode: (value) => (value.trim() === "" || Number.isNaN(Number(value)) ? null : Number(value)),
};

export function oneOf<const T extends string>(...values: T[]): Codec<T> {
  return { encode: (value) => value, decode: (value) => values.find((v) => v === value) ?? null };
}

/** List separated by commas. A comma within an item has a backslash before it. */
export const list: Codec<string[]> = {
  encode: (values) => values.map((value) => value.replace(/[\\,]/g, "\\$&")).join(","),
  decode: (value) => (value === "" ? [] : value.split(/(?<!\\),/).map((item) => item.replace(/\\(.)/g, "$1"))),
};

export function json<T>(): Codec<T> {
  return {
    encode: (value) => JSON.stringify(value),
    decode: (value) => {
      try {
        return JSON.parse(value) as T;
      } catch {
        return null;
      }
    },
  };
}
