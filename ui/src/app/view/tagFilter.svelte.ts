/* The search field of a view: what is typed is in the address, and a tag passes it or not. */
import { type Param, param, text } from "../../base/url";
import { compile, type Filter } from "../filter";

export class TagFilter {
  /** The field, for the key that goes there. */
  input = $state<HTMLInputElement>();
  #words: Param<string>;

  /** With `plain`, what is typed is looked for as it is, and is no expression that tags pass. */
  constructor(
    key: string,
    readonly label: string,
    readonly plain = false,
  ) {
    this.#words = param(key, text, "");
  }

  get words(): string {
    return this.#words.value;
  }

  get error(): string | null {
    return this.plain ? null : this.#filter.error;
  }

  type(words: string): void {
    this.#words.preview(words);
  }

  commit(words: string): void {
    this.#words.value = words;
  }

  /** All do while the expression is half typed. */
  passes(tag: string): boolean {
    return this.#filter.error !== null || this.#filter.test(tag);
  }

  #filter: Filter = $derived.by(() => compile(this.words));
}
