/* Current time, updated every second: often enough for "stale 2m 10s", rarely enough to keep the page idle. */
class Clock {
  now = $state(Date.now() / 1000);

  constructor() {
    setInterval(() => (this.now = Date.now() / 1000), 1000);
  }
}

export const clock = new Clock();
