/* On a phone the bar's middle button is the view's own main setting; a view says here what that is. */
import type { IconName } from "../base/icons";

export interface PhoneButton {
  icon: IconName;
  title: string;
  value: string;
  run(): void;
}

class Phone {
  main = $state.raw<PhoneButton | null>(null);
}

export const phone = new Phone();
