/* Downloads logged media as one zip file, which the server creates while sending it. */
import { post } from "../../api/client";
import { counted } from "../../base/format";
import { save } from "../../base/save";
import { toasts } from "../../widgets/toasts.svelte";

export interface Thing {
  run: string;
  tag: string;
  /** Every step if missing. */
  step?: number;
}

export async function saveArchive(kind: string, things: Thing[]): Promise<void> {
  const name = `${kind}.zip`;
  toasts.show({ icon: "down", text: `Packing ${name}`, detail: counted(things.length, "series", "series") });
  try {
    save(await (await post(`${kind}/zip`, { things })).blob(), name);
  } catch (reason) {
    toasts.fail(`Could not create ${name}`, reason);
  }
}
