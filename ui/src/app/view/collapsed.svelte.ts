/* Collapsed groups of a view, stored in the URL. */
import { list, type Param, param } from "../../base/url";

export class CollapsedGroups {
  #closed: Param<string[]>;

  constructor(key: string) {
    this.#closed = param(key, list, []);
  }

  has(group: string): boolean {
    return this.#closed.value.includes(group);
  }

  toggle(group: string): void {
    this.#closed.value = this.has(group)
      ? this.#closed.value.filter((one) => one !== group)
      : [...this.#closed.value, group];
  }
}
