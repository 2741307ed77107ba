// node tasks.mjs folder < names > results.json
// Of each task its bound, the loss of one who looks at nothing, 200 texts and those held out, as
// [words that are read, words that are wanted].
import {readFileSync} from "node:fs";
import {join} from "node:path";
import {pathToFileURL} from "node:url";

const load = name => import(pathToFileURL(join(process.argv[2], name)));
const {blindLoss, open} = await load("tasks.js");
const {uniform} = await load("random.js");

function one(name) {
  const task = open(name);
  const {vocabulary, draw, heldOut, bound} = task;
  const random = uniform(5);
  const words = ({tokens, targets}) => [
    tokens.map(token => vocabulary[token]),
    targets.map(target => (target < 0 ? null : vocabulary[target])),
  ];
  const texts = Array.from({length: 200}, () => words(draw(random)));
  return {bound, blind: blindLoss(task), texts, heldOut: heldOut.map(words)};
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(one)));
