/* Search field of a view. Its text is in the URL, and filters tags. */
import { type Param, param, text } from "../../base/url";
import { compile, type Filter } from "../filter";

export class TagFilter {
  /** The field, for the shortcut that focuses it. */
  input = $state<HTMLInputElement>();
  #words: Param<string>;

  constructor(
    key: string,
    readonly label: string,
  ) {
    this.#words = param(key, text, "");
  }

  get words(): string {
    return this.#words.value;
  }

  get error(): string | null {
    return this.#filter.error;
  }

  type(words: string): void {
    this.#words.preview(words);
  }

  commit(words: string): void {
    this.#words.value = words;
  }

  /** Whether a tag matches. All do while the expression is invalid. */
  passes(tag: string): boolean {
    return this.#filter.error !== null || this.#filter.test(tag);
  }

  #filter: Filter = $derived.by(() => compile(this.words));
}
