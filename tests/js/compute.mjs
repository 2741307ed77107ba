// node compute.mjs module function < cases.json > results.json
// Calls one pure function of a live figure on every case, a list of arguments.
import {readFileSync} from "node:fs";

const [, , module, name] = process.argv;
const source = new URL(`../../d2lattn/pictures/live_js/${module}.js`, import.meta.url);
const {[name]: compute} = await import(source);
const written = (_, value) =>
  typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
const cases = JSON.parse(readFileSync(0, "utf8"), (_, value) =>
  value === "-inf" ? -Infinity : value,
);
process.stdout.write(
  JSON.stringify(
    cases.map(given => compute(...given)),
    written,
  ),
);
