// node reader.mjs model.js read|cached < cases.json > results.json
// Reads the tokens of every case, [model, tokens, heads that are off, how many are read first], and
// gives the logits after every word and the maps; `cached` goes on from what was kept.
import {readFileSync} from "node:fs";
import {pathToFileURL} from "node:url";

const [, , path, how] = process.argv;
const {read, unpack} = await import(pathToFileURL(path));

function one([packed, tokens, off = [], first = 0]) {
  const model = {...packed, weights: unpack(packed)};
  const before = how === "cached" ? read(model, tokens.slice(0, first), off) : null;
  const {layers, logits} = read(model, tokens.slice(before ? first : 0), off, before);
  return [logits.map(row => Array.from(row)), layers.map(({maps}) => maps)];
}

const cases = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(cases.map(one)));
