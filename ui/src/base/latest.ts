/* Overlapping reads of one thing: a response may come after the response to a newer request. */

export class Latest {
  #last = 0;

  /** Begins a read. The returned function tells whether no newer one has begun since, so that its response still counts. */
  begin(): () => boolean {
    const own = ++this.#last;
    return () => own === this.#last;
  }
}
