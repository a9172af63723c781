/* One conversation with the server for all cards on screen. Questions of one moment travel in one request; a request nobody waits for
   any more is canceled; after live growth only what changed comes back. */
import { postFrames } from "../../api/frames";
import type { ChartQuestion, ChartsHead, RunChoice } from "../../api/types";
import type { ChartData } from "../../charts/lines/data";
import { readChart, tableCount } from "./parseCharts";

export type Question = Omit<ChartQuestion, "key">;

export interface Sink {
  take(data: ChartData): void;
  fail(reason: Error): void;
}

interface Entry {
  id: string;
  question: Question;
  runs: RunChoice;
  sink: Sink;
  /** The question in words, and the one that was answered last. */
  asked: string;
  answered: string | null;
  cursor: number;
  due: boolean;
  flight: Flight | null;
}

interface Flight {
  /** What each entry had asked when it left. */
  passengers: Map<Entry, string>;
  abort: AbortController;
}

interface Kept {
  data: ChartData;
  cursor: number;
}

const MAX_FLIGHTS = 2;
const KEPT_CHARTS = 96;
const MAX_CHARTS = 32;
/** Growth is asked for at most so often; well under the second in which a point must show. */
const LIVE_EVERY_MS = 300;

export class Feed {
  private readonly entries = new Map<string, Entry>();
  private readonly flights = new Set<Flight>();
  private readonly kept = new Map<string, Kept>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private lastSent = 0;

  constructor(private readonly send: typeof postFrames = postFrames) {}

  /** Asks, or asks anew; the same question is not asked twice. */
  ask(id: string, question: Question, runs: RunChoice, sink: Sink): void {
    const asked = JSON.stringify([question, runs]);
    const entry = this.entries.get(id);
    if (entry) {
      entry.sink = sink;
      if (entry.asked === asked) return;
      Object.assign(entry, { question, runs, asked, due: true });
    } else this.entries.set(id, this.enter(id, question, runs, asked, sink));
    this.dropEmptyFlights();
    this.schedule(0);
  }

  /** The card is gone. */
  leave(id: string): void {
    this.entries.delete(id);
    this.dropEmptyFlights();
  }

  /** Something grew: the cards that `affects` picks are asked for again. */
  grew(affects: (question: Question) => boolean): void {
    let some = false;
    for (const entry of this.entries.values()) {
      if (!affects(entry.question)) continue;
      entry.due = true;
      some = true;
    }
    if (some) this.schedule(Math.max(0, this.lastSent + LIVE_EVERY_MS - Date.now()));
  }

  /** Asks every card again, as after a lost connection. */
  again(): void {
    this.grew(() => true);
  }

  private enter(id: string, question: Question, runs: RunChoice, asked: string, sink: Sink): Entry {
    const known = this.kept.get(asked);
    if (known) sink.take(known.data);
    return {
      id,
      question,
      runs,
      sink,
      asked,
      answered: known ? asked : null,
      cursor: known?.cursor ?? 0,
      due: true,
      flight: null,
    };
  }

  private schedule(delay: number): void {
    if (this.timer !== undefined && delay > 0) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.depart();
    }, delay);
  }

  private depart(): void {
    const waiting = [...this.entries.values()].filter(
      (entry) => entry.due && !(entry.flight && this.flights.has(entry.flight)),
    );
    const sameRuns = (entry: Entry): string => JSON.stringify(entry.runs);
    while (waiting.length && this.flights.size < MAX_FLIGHTS) {
      const [first] = waiting as [Entry, ...Entry[]];
      const fresh = first.asked !== first.answered;
      const together = waiting
        .filter((e) => (e.asked !== e.answered) === fresh && sameRuns(e) === sameRuns(first))
        .slice(0, MAX_CHARTS);
      for (const entry of together) waiting.splice(waiting.indexOf(entry), 1);
      void this.fly(together, fresh);
    }
  }

  private async fly(passengers: Entry[], fresh: boolean): Promise<void> {
    const flight: Flight = {
      passengers: new Map(passengers.map((entry) => [entry, entry.asked])),
      abort: new AbortController(),
    };
    this.flights.add(flight);
    this.lastSent = Date.now();
    for (const entry of passengers) Object.assign(entry, { due: false, flight });
    const body = {
      runs: passengers[0]!.runs,
      since: fresh ? undefined : Math.min(...passengers.map((entry) => entry.cursor)),
      charts: passengers.map((entry, i) => ({ key: String(i), ...entry.question })),
    };
    try {
      const { head, tables } = await this.send<ChartsHead>("scalars/charts", body, flight.abort.signal);
      this.arrive(passengers, flight, head, tables);
    } catch (reason) {
      if (!flight.abort.signal.aborted) this.fail(flight, reason as Error);
    } finally {
      this.flights.delete(flight);
      if ([...this.entries.values()].some((entry) => entry.due)) this.schedule(0);
    }
  }

  private arrive(passengers: Entry[], flight: Flight, head: ChartsHead, tables: Parameters<typeof readChart>[1]): void {
    let at = 0;
    for (const chart of head.charts) {
      const own = tables.slice(at, at + tableCount(chart));
      at += own.length;
      const entry = passengers[Number(chart.key)]!;
      const asked = flight.passengers.get(entry)!;
      entry.cursor = head.cursor;
      if ("unchanged" in chart) {
        this.renew(asked, head.cursor);
        continue;
      }
      const data = readChart(chart, own, rangeOf(asked));
      this.keep(asked, { data, cursor: head.cursor });
      if (this.entries.get(entry.id) !== entry || !stillOfUse(entry.asked, asked)) continue;
      entry.answered = asked;
      entry.sink.take(data);
    }
  }

  private fail(flight: Flight, reason: Error): void {
    for (const entry of flight.passengers.keys()) if (this.entries.get(entry.id) === entry) entry.sink.fail(reason);
  }

  private keep(asked: string, kept: Kept): void {
    this.kept.delete(asked);
    this.kept.set(asked, kept);
    if (this.kept.size > KEPT_CHARTS) this.kept.delete(this.kept.keys().next().value!);
  }

  private renew(asked: string, cursor: number): void {
    const kept = this.kept.get(asked);
    if (kept) this.keep(asked, { ...kept, cursor });
  }

  private dropEmptyFlights(): void {
    for (const flight of this.flights) {
      const awaited = [...flight.passengers].some(
        ([entry, asked]) => this.entries.get(entry.id) === entry && stillOfUse(entry.asked, asked),
      );
      if (!awaited) {
        flight.abort.abort();
        this.flights.delete(flight);
      }
    }
  }
}

const rangeOf = (asked: string): Question["range"] => (JSON.parse(asked) as [Question])[0].range;

/** An answer to an older question is shown on the way to the newer one if it has the same lines: another zoom, another smoothing. */
function stillOfUse(now: string, then: string): boolean {
  if (now === then) return true;
  const lines = (asked: string): string => {
    const [question, runs] = JSON.parse(asked) as [Question, RunChoice];
    return JSON.stringify([question.tags, question.x, runs]);
  };
  return lines(now) === lines(then);
}
