import { fileURLToPath } from "node:url";
import { mergeConfig } from "vite";
import product from "./vite.config";

/* The UI with a test registry of fourteen views, for tests/browser/nav.test.ts. The test names the output folder. */
export default mergeConfig(product, {
  resolve: {
    alias: [
      {
        find: /^(\.\.\/)+kinds$/,
        replacement: fileURLToPath(new URL("src/kinds/_fourteen/index.ts", import.meta.url)),
      },
    ],
  },
});
