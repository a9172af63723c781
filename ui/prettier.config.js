// The line width and the indents come from .editorconfig.
import * as svelte from "prettier-plugin-svelte";

export default {
  plugins: [svelte],
  overrides: [{ files: "*.svelte", options: { parser: "svelte" } }],
};
