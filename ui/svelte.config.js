import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

export default {
  preprocess: vitePreprocess(),
  compilerOptions: {
    runes: true,
    // Short, because it stands on every element of every template.
    cssHash: ({ hash, filename }) => `s${hash(filename).slice(0, 4)}`,
  },
};
