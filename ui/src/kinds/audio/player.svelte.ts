/* Audio player. One clip plays at a time. Switching to another clip continues at the same second, which makes comparing easy. */
import { type ClipPlace, clipUrl, keyOf } from "./clips";

class Player {
  /** The current clip, playing or not. */
  place = $state.raw<ClipPlace | null>(null);
  playing = $state(false);
  second = $state(0);
  problem = $state<string | null>(null);
  /** The previous clip. */
  before = $state.raw<ClipPlace | null>(null);
  #audio: HTMLAudioElement | null = null;

  is(place: ClipPlace): boolean {
    return this.place !== null && keyOf(this.place) === keyOf(place);
  }

  async toggle(place: ClipPlace): Promise<void> {
    if (this.is(place) && this.playing) this.pause();
    else await this.play(place, this.is(place) || this.playing ? this.second : 0);
  }

  async play(place: ClipPlace, second: number): Promise<void> {
    const audio = this.#element();
    if (!this.is(place)) {
      audio.src = clipUrl(place);
      this.before = this.place;
    }
    this.place = place;
    this.problem = null;
    try {
      audio.currentTime = second;
      await audio.play();
    } catch (reason) {
      if ((reason as Error).name !== "AbortError")
        this.problem = "The browser cannot play this clip. Download it to hear it.";
    }
  }

  /** Plays the previous clip at the same second. */
  async switchBack(): Promise<void> {
    if (this.before) await this.play(this.before, this.second);
  }

  pause(): void {
    this.#audio?.pause();
  }

  /** Stops, and forgets both clips. */
  stop(): void {
    this.pause();
    this.place = this.before = null;
  }

  #element(): HTMLAudioElement {
    if (this.#audio) return this.#audio;
    const audio = new Audio();
    audio.ontimeupdate = () => (this.second = audio.currentTime);
    audio.onplay = () => (this.playing = true);
    audio.onpause = () => (this.playing = false);
    audio.onended = () => {
      this.playing = false;
      this.second = 0;
    };
    return (this.#audio = audio);
  }
}

export const player = new Player();
