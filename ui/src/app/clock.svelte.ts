/* The time as the board tells it: fine enough for "stale 2m 10s", coarse enough to leave the page at rest. */
class Clock {
  now = $state(Date.now() / 1000);

  constructor() {
    setInterval(() => (this.now = Date.now() / 1000), 1000);
  }
}

export const clock = new Clock();
