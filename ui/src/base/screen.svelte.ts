/* Size of the window, as far as the layout depends on it. */

/** Widest window with the phone layout. Media queries cannot read it, so a test checks that they use the same number. */
export const PHONE_MAX_PX = 720;

class Screen {
  #phone = matchMedia(`(max-width: ${PHONE_MAX_PX}px)`);
  isPhone = $state(this.#phone.matches);

  constructor() {
    this.#phone.addEventListener("change", () => (this.isPhone = this.#phone.matches));
  }
}

export const screen = new Screen();
