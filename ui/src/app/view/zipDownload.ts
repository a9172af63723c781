/* Logged things as one zip, made by the server while it is sent. */
import { post } from "../../api/client";
import { counted } from "../../base/format";
import { save } from "../../base/save";
import { toasts } from "../../widgets/toasts.svelte";

export interface Thing {
  run: string;
  tag: string;
  /** Every step, where none is named. */
  step?: number;
}

export async function saveArchive(kind: string, things: Thing[]): Promise<void> {
  const name = `${kind}.zip`;
  toasts.show({ icon: "down", text: `Packing ${name}`, detail: counted(things.length, "series", "series") });
  try {
    save(await (await post(`${kind}/zip`, { things })).blob(), name);
  } catch (reason) {
    toasts.fail(`${name} could not be made`, reason);
  }
}
