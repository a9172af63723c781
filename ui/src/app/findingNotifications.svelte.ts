/* Notifications of the browser: a running training got a finding while nobody looks at the page. Off until a person turns them on. */
import { postJson } from "../api/client";
import type { FindingList } from "../api/types";
import { recall, remember } from "../base/storage";
import { toasts } from "../widgets/toasts.svelte";
import { board } from "./board.svelte";
import { idOf, openFindings } from "./findings.svelte";

/** `interactive.ts` loads this file if it is set. */
const NOTIFY = "notify";

class FindingNotifications {
  isOn = $state(recall<boolean>(NOTIFY, false) && Notification.permission === "granted");
  /** Number of findings of each run when it was last looked at. */
  #counts = new Map<string, number>();
  #known = new Set<string>();
  #stop = (): void => undefined;

  constructor() {
    if (this.isOn) this.#watch();
  }

  async turn(on: boolean): Promise<void> {
    if (on && (await Notification.requestPermission()) !== "granted") {
      toasts.fail("The browser does not allow notifications", new Error("Allow them in its settings for this page."));
      return;
    }
    this.isOn = on;
    remember(NOTIFY, on || null);
    this.#stop();
    if (on) this.#watch();
  }

  #watch(): void {
    this.#counts = new Map(board.runs.map((run) => [run.id, run.findings?.count ?? 0]));
    this.#stop = $effect.root(() => {
      $effect(() => {
        const more = board.runs.filter(({ id, findings }) => (findings?.count ?? 0) > (this.#counts.get(id) ?? 0));
        this.#counts = new Map(board.runs.map((run) => [run.id, run.findings?.count ?? 0]));
        const running = more.filter(({ id }) => board.state(id) !== "finished");
        if (running.length > 0 && document.hidden) void this.#notify(running.map(({ id }) => id));
      });
    });
  }

  async #notify(runs: string[]): Promise<void> {
    const { findings } = await postJson<FindingList>("findings/list", { runs: { only: runs } });
    for (const one of findings) {
      if (one.severity === "note" || this.#known.has(idOf(one))) continue;
      this.#known.add(idOf(one));
      const shown = new Notification(`${board.label(one.run)}: ${one.title ?? one.code}`, {
        body: one.what,
        tag: idOf(one),
      });
      shown.onclick = () => {
        window.focus();
        openFindings(one.run, idOf(one));
      };
    }
  }
}

export const findingNotifications = new FindingNotifications();
