/* Live events of the server: growth of runs, changes of the list of runs, changes of names and saved views.
   The browser's EventSource does not reconnect after some errors. So this module reconnects, and reports when it will try next. */
import type { At, Grew } from "./types";

type Listener<T> = (event: T) => void;

/** `at` is the position of the server when the stream opened. */
export type Connection = { up: true; at?: At } | { up: false; since: number; nextTry: number };

const grew = new Set<Listener<Grew>>();
const changed = new Set<Listener<"runs" | "sidecar">>();
const connection = new Set<Listener<Connection>>();

const FIRST_RETRY_MS = 1000;
const SLOWEST_RETRY_MS = 15_000;

let source: EventSource | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
let lostAt: number | null = null;
let delay = FIRST_RETRY_MS;

export function onGrew(listener: Listener<Grew>): () => void {
  grew.add(listener);
  return () => grew.delete(listener);
}

export function onChanged(listener: Listener<"runs" | "sidecar">): () => void {
  changed.add(listener);
  return () => changed.delete(listener);
}

export function onConnection(listener: Listener<Connection>): () => void {
  connection.add(listener);
  return () => connection.delete(listener);
}

/** Opens the stream, or reconnects now. */
export function connect(): void {
  clearTimeout(timer);
  source?.close();
  source = new EventSource("api/live");
  source.onopen = up;
  source.onerror = down;
  source.addEventListener("at", (event) =>
    notify(connection, { up: true, at: JSON.parse(event.data as string) as At }),
  );
  source.addEventListener("grew", (event) => notify(grew, JSON.parse(event.data as string) as Grew));
  source.addEventListener("runs", () => notify(changed, "runs"));
  source.addEventListener("sidecar", () => notify(changed, "sidecar"));
}

function up(): void {
  lostAt = null;
  delay = FIRST_RETRY_MS;
  notify(connection, { up: true });
}

function down(): void {
  source?.close();
  lostAt ??= Date.now();
  notify(connection, { up: false, since: lostAt, nextTry: Date.now() + delay });
  timer = setTimeout(connect, delay);
  delay = Math.min(delay * 2, SLOWEST_RETRY_MS);
}

function notify<T>(listeners: Set<Listener<T>>, event: T): void {
  for (const listener of listeners) listener(event);
}
