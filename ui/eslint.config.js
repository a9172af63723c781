// Run from the root of the repository, so that tests/browser is inside the base path: see check-ui in the Makefile.
import js from "@eslint/js";
import prettier from "eslint-config-prettier/flat";
import svelte from "eslint-plugin-svelte";
import { defineConfig } from "eslint/config";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

export default defineConfig(
  js.configs.recommended,
  ts.configs.strictTypeChecked,
  ts.configs.stylisticTypeChecked,
  svelte.configs.recommended,
  prettier,
  svelte.configs.prettier,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    languageOptions: {
      parserOptions: {
        project: ["tsconfig.json", "tsconfig.browser.json"],
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: [".svelte"],
      },
    },
    rules: {
      // A short callback returns whatever it calls, or joins two calls by a comma.
      "@typescript-eslint/no-confusing-void-expression": "off",
      // An empty function is a callback that does nothing.
      "@typescript-eslint/no-empty-function": "off",
      // `void value` makes an effect or a derived value depend on a value that it does not use.
      "@typescript-eslint/no-meaningless-void-operator": "off",
      // With noUncheckedIndexedAccess, `!` is how the code states that an index is in range.
      "@typescript-eslint/no-non-null-assertion": "off",
      // The compiler reports these: noUnusedLocals and noUnusedParameters.
      "@typescript-eslint/no-unused-vars": "off",
      // `alias || label`: an empty string is a missing one.
      "@typescript-eslint/prefer-nullish-coalescing": ["error", { ignorePrimitives: { string: true, boolean: true } }],
      // A number in a template is as clear as a string; other types are not.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/restrict-plus-operands": ["error", { allowNumberAndString: true }],
      // Interfaces declare callbacks as methods: `onclose(): void`.
      "@typescript-eslint/unbound-method": "off",
      // Maps and sets in reactive state are replaced, not changed.
      "svelte/prefer-svelte-reactivity": "off",
    },
  },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
  },
  {
    files: ["**/*.svelte"],
    rules: {
      // The compiler reports undefined names, and knows the browser's globals.
      "no-undef": "off",
      // `bind:this` sets a variable where the linter does not see it.
      "@typescript-eslint/no-unnecessary-condition": "off",
      // The parser does not know the props of other components, so that every parameter of a callback is `any`.
      // svelte-check knows them.
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-return": "off",
    },
  },
);
