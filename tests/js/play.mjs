// node play.mjs folder < cases.json > results.json
// Plays a live figure without a page: for each case, {data, acts}, what there is at first and after
// every act, ["change", ...], as {state, now, said, roles}: the sentence, and the roles that its
// parts play. "the data" stands for the figure's own.
import {readFileSync} from "node:fs";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {read, written} from "./json.mjs";

const folder = process.argv[2];
const load = name => import(pathToFileURL(join(folder, name)));
const {alter} = await load("../kit/figure.js");
const {explain} = await load("explain.js");
const {prepare = data => data, begin, compute, ...changes} = await load("state.js");

function play({data: sent, acts}) {
  const data = prepare(sent);
  const states = [begin(data)];
  const real = one => (one === "the data" ? data : one);
  for (const [name, ...given] of acts)
    states.push({alter, ...changes}[name](states.at(-1), ...given.map(real)));
  return states.map(state => {
    const now = compute(state, data);
    const said = explain(state, now, data);
    const roles = said.flatMap(([, role]) => role ?? []);
    return {state, now, said: said.map(([text]) => text).join(""), roles};
  });
}

const cases = JSON.parse(readFileSync(0, "utf8"), read);
process.stdout.write(JSON.stringify(cases.map(play), written));
