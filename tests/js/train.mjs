// node train.mjs folder < cases.json > results.json
// For each case, {settings, sizes, tokens, targets, rate}: the weights at the start, the loss and
// the slope at every weight, and after a step of Adam on each batch the losses and the weights.
import {readFileSync} from "node:fs";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {written} from "./json.mjs";

const {adam, create, gradient} = await import(pathToFileURL(join(process.argv[2], "model.js")));

function one({settings, sizes, tokens, targets}) {
  const model = create(settings, sizes);
  const copy = () =>
    Object.fromEntries(Object.entries(model.weights).map(([name, W]) => [name, [...W]]));
  const start = copy();
  const {loss, grads} = gradient(model, tokens[0], targets[0]);
  const learn = adam(model, settings.rate);
  const losses = tokens.map((texts, k) => {
    const step = gradient(model, texts, targets[k]);
    learn(step.grads);
    return step.loss;
  });
  return {start, loss, grads, losses, end: copy()};
}

const cases = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(cases.map(one), written));
