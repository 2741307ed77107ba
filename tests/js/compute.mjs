// node compute.mjs module.js function < cases.json > results.json
// Calls one pure function of a live figure on every case, a list of arguments.
import {readFileSync} from "node:fs";
import {pathToFileURL} from "node:url";
import {read, written} from "./json.mjs";

const [, , path, name] = process.argv;
const {[name]: compute} = await import(pathToFileURL(path));
const cases = JSON.parse(readFileSync(0, "utf8"), read);
process.stdout.write(
  JSON.stringify(
    cases.map(given => compute(...given)),
    written,
  ),
);
