// node run.mjs < calls.json > results.json
// Calls functions of modules, one after the other; a call is [path of the module, name, arguments].
import {readFileSync} from "node:fs";
import {pathToFileURL} from "node:url";

// JSON has no infinity and no NaN, so they go by name, both ways.
const NAMED = {Infinity, "-Infinity": -Infinity, NaN};
const read = (_, value) =>
  typeof value === "string" && Object.hasOwn(NAMED, value) ? NAMED[value] : value;

function written(_, value) {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return ArrayBuffer.isView(value) ? Array.from(value) : value;
}

const results = [];
for (const [path, name, given] of JSON.parse(readFileSync(0, "utf8"), read)) {
  const {[name]: compute} = await import(pathToFileURL(path));
  results.push(JSON.stringify((await compute(...given)) ?? null, written));
}
process.stdout.write(`[${results.join()}]`);
