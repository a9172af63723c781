/** One queue of drawing for all charts: each draws at most once a frame, and a long queue spreads over several frames. */

/** Of our own work: the browser paints what we drew afterwards, and takes three times as long without a GPU. */
const BUDGET_MS = 3;
/** However little there is to draw, the browser copies each canvas that changed. */
const MOST_A_FRAME = 6;

const waiting = new Map<object, () => void>();
let asked = false;

/** `first` draws before those that wait: the chart under the pointer must not lag. */
export function schedule(owner: object, draw: () => void, first = false): void {
  if (first && waiting.size) {
    const others = [...waiting].filter(([other]) => other !== owner);
    waiting.clear();
    waiting.set(owner, draw);
    for (const [other, its] of others) waiting.set(other, its);
  } else waiting.set(owner, draw);
  if (asked) return;
  asked = true;
  requestAnimationFrame(flush);
}

export function unschedule(owner: object): void {
  waiting.delete(owner);
}

function flush(): void {
  asked = false;
  const start = performance.now();
  let drawn = 0;
  for (const [owner, draw] of waiting) {
    waiting.delete(owner);
    draw();
    if (++drawn >= MOST_A_FRAME || performance.now() - start > BUDGET_MS) break;
  }
  if (!waiting.size) return;
  asked = true;
  requestAnimationFrame(flush);
}
