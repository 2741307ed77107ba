// node engine.mjs folder < cases.json > results.json
// Lets the engine go through each case, {task, begin, steps, slice, look}, and gives all it tells.
import {readFileSync} from "node:fs";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {written} from "./json.mjs";

const {serve} = await import(pathToFileURL(join(process.argv[2], "engine.js")));

function one({task, begin, steps, slice, look}) {
  const told = [];
  const waiting = [];
  const receive = serve(
    news => told.push(JSON.parse(JSON.stringify(news, written))),
    act => waiting.push(act),
    slice,
  );
  receive({task, begin, run: 1, said: null, steps, ...(look ? {look} : {})});
  while (waiting.length) waiting.shift()();
  return told;
}

const cases = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(cases.map(one), written));
