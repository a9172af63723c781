/* What a view knows of the server's data: read once, and again when its kind grew. */
import { getTags } from "../../api/client";
import type { Grew, TagRow } from "../../api/types";

export class Tags {
  all = $state.raw<TagRow[]>([]);
  /** What went wrong, in words for the user. */
  problem = $state<string | null>(null);

  constructor(readonly kind: string) {}

  async read(): Promise<void> {
    try {
      this.all = (await getTags(this.kind)).tags;
      this.problem = null;
    } catch (reason) {
      this.problem = reason instanceof Error ? reason.message : String(reason);
    }
  }

  async grew(event: Grew): Promise<void> {
    if (Object.values(event.runs).some((run) => this.kind in run.kinds)) await this.read();
  }
}
