/* The middle button of the phone's bar. Each view sets its main setting here. */
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
