/* Thumbnails of an embedding: one image with all of them. */
import { request } from "../../api/client";
import type { SpriteInfo } from "../../api/types";
import { toasts } from "../../widgets/toasts.svelte";
import type { Sprites } from "./drawPoints";
import type { Source } from "./metadata";

/** Loads the thumbnails. Returns null if they cannot be shown, after saying why. */
export async function loadSprites(source: Source, info: SpriteInfo, signal: AbortSignal): Promise<Sprites | null> {
  const query = new URLSearchParams({ run: source.run, tag: source.tag, step: String(source.step) });
  try {
    const response = await request(`embeddings/sprite?${query}`, { signal });
    return { image: await createImageBitmap(await response.blob()), ...info };
  } catch (reason) {
    if (!signal.aborted) toasts.fail("Could not load the thumbnails", reason);
    return null;
  }
}
