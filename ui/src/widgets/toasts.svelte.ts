/* What was done, said in passing at the lower right, with a way back where there is one. */
import type { IconName } from "../base/icons";

export interface Toast {
  id: number;
  icon: IconName;
  text: string;
  detail?: string;
  action?: { title: string; run(): void };
  bad?: boolean;
}

export const TOAST_MS = 8000;

let next = 1;

class Toasts {
  shown = $state.raw<Toast[]>([]);
  #timers = new Map<number, ReturnType<typeof setTimeout>>();

  show(toast: Omit<Toast, "id">): void {
    const id = next++;
    this.shown = [...this.shown.slice(-3), { ...toast, id }];
    this.resume(id);
  }

  /** Says what went wrong. */
  fail(text: string, reason: unknown): void {
    this.show({ icon: "close", text, detail: reason instanceof Error ? reason.message : String(reason), bad: true });
  }

  close(id: number): void {
    this.hold(id);
    this.shown = this.shown.filter((toast) => toast.id !== id);
  }

  /** While the pointer or the keyboard is on it, it stays. */
  hold(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }

  resume(id: number): void {
    this.hold(id);
    this.#timers.set(
      id,
      setTimeout(() => this.close(id), TOAST_MS),
    );
  }
}

export const toasts = new Toasts();
