/** Redraw queue for all charts. Each chart draws at most once a frame, and a long queue takes several frames. */

/** Time for our own drawing. Without a GPU, the browser then takes three times as long to paint it. */
const BUDGET_MS = 3;
/** The browser copies each canvas that changed, however little was drawn. */
const MAX_PER_FRAME = 6;

const waiting = new Map<object, () => void>();
let requested = false;

/** Queues a drawing in place of an earlier one of the same owner. `first` puts it before all others, for the chart under the pointer. */
export function schedule(owner: object, draw: () => void, first = false): void {
  if (first && waiting.size) {
    const others = [...waiting].filter(([other]) => other !== owner);
    waiting.clear();
    waiting.set(owner, draw);
    for (const [other, theirs] of others) waiting.set(other, theirs);
  } else waiting.set(owner, draw);
  if (requested) return;
  requested = true;
  requestAnimationFrame(flush);
}

export function unschedule(owner: object): void {
  waiting.delete(owner);
}

function flush(): void {
  requested = false;
  const start = performance.now();
  let drawn = 0;
  for (const [owner, draw] of waiting) {
    waiting.delete(owner);
    draw();
    if (++drawn >= MAX_PER_FRAME || performance.now() - start > BUDGET_MS) break;
  }
  if (!waiting.size) return;
  requested = true;
  requestAnimationFrame(flush);
}
