/* Toasts: short messages at the lower right, with an action such as Undo. */
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

  /** Shows an error. */
  fail(text: string, reason: unknown): void {
    this.show({ icon: "close", text, detail: reason instanceof Error ? reason.message : String(reason), bad: true });
  }

  close(id: number): void {
    this.hold(id);
    this.shown = this.shown.filter((toast) => toast.id !== id);
  }

  /** Keeps a toast while the pointer or the focus is on it. */
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
