// node list.mjs folder file.js … > mutants.json
// Lists every mutant that Stryker makes of these files: where it is, its kind, and the code put there.
import {readFileSync} from "node:fs";
import {join} from "node:path";
import process from "node:process";
import {Instrumenter} from "@stryker-mutator/instrumenter";

const [, , folder, ...names] = process.argv;
const quiet = {debug() {}, info() {}, isDebugEnabled: () => false};
const files = names.map(name => {
  return {name, content: readFileSync(join(folder, name), "utf8"), mutate: true};
});
const options = {excludedMutations: [], ignorers: [], noHeader: true, plugins: null};
const {mutants} = await new Instrumenter(quiet).instrument(files, options);
process.stdout.write(JSON.stringify(mutants));
