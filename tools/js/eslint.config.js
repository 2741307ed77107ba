// What the JavaScript of the live figures is held to; tests/test_javascript.py asks for it.
import js from "@eslint/js";

const PAGE = [
  ...["HTMLElement", "ImageData", "ResizeObserver", "customElements", "document", "matchMedia"],
  ...["cancelAnimationFrame", "clearInterval", "performance", "requestAnimationFrame"],
  ...["Blob", "URL", "Worker", "history", "location", "setInterval", "setTimeout"],
  ...["addEventListener", "localStorage"],
];
const readonly = names => Object.fromEntries(names.map(name => [name, "readonly"]));

export default [
  js.configs.recommended,
  {
    linterOptions: {reportUnusedDisableDirectives: "error"},
    languageOptions: {ecmaVersion: 2022, sourceType: "module", globals: readonly(PAGE)},
    rules: {
      complexity: ["error", 10],
      eqeqeq: "error",
      "max-depth": ["error", 3],
      "max-len": ["error", 110],
      "max-lines-per-function": ["error", {max: 60, skipBlankLines: true, skipComments: true}],
      "max-params": ["error", 7],
      "no-shadow": ["error", {allow: ["_"]}],
      "no-var": "error",
      "one-var": ["error", "never"],
      "prefer-const": "error",
    },
  },
  {
    // What is chosen, what is computed and what is said know nothing of a page.
    files: ["state", "explain", "numbers", "model", "labels"].map(name => `**/${name}.js`),
    languageOptions: {
      globals: {...Object.fromEntries(PAGE.map(name => [name, "off"])), atob: "readonly"},
    },
  },
  {
    files: ["tests/js/**"],
    languageOptions: {globals: readonly(["process", "structuredClone"])},
  },
];
