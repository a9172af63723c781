/* The views that this browser opened last, newest first. They decide which tasks fold, and which view a folded task shows. */
import { recall, remember } from "../../base/storage";
import type { ViewEntry } from "../../kinds";

const KEY = "recentViews";
const MAX_REMEMBERED = 50;

class RecentViews {
  #ids = $state.raw<string[]>(recall<string[]>(KEY, []));
  /** As of the start of the page: counting on would move the tabs while they are used. */
  #atStart = this.#ids;

  add({ id }: ViewEntry): void {
    if (this.#ids[0] === id) return;
    this.#ids = [id, ...this.#ids].slice(0, MAX_REMEMBERED);
    remember(KEY, this.#ids);
  }

  /** Returns how often any of these views was opened before this visit. */
  uses(views: ViewEntry[]): number {
    return this.#atStart.filter((id) => views.some((entry) => entry.id === id)).length;
  }

  /** Returns the one of these views that was opened last, else the first. */
  last(views: ViewEntry[]): ViewEntry {
    const id = this.#ids.find((id) => views.some((entry) => entry.id === id));
    return views.find((entry) => entry.id === id) ?? views[0]!;
  }
}

export const recentViews = new RecentViews();
