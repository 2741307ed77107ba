// Live figures without a page. `folder` is that of a kind.
import {join} from "node:path";
import {pathToFileURL} from "node:url";

const load = (folder, name) => import(pathToFileURL(join(folder, name)));

// What there is at first and after every act, ["change", ...], as {state, now, said, roles}: the
// sentence, and the roles that its parts play. "the data" stands for the figure's own, and "next" and
// "rewind" are what Play does with positions.
export async function play(folder, sent, acts) {
  const {alter} = await load(folder, "../kit/figure.js");
  const {explain} = await load(folder, "explain.js");
  const {prepare = data => data, begin, compute, ...changes} = await load(folder, "state.js");
  const data = prepare(sent);
  const known = {alter, ...changes, ...changes.playOf?.(data)};
  const states = [begin(data)];
  for (const [name, ...given] of acts) {
    const real = given.map(one => (one === "the data" ? data : one));
    states.push(known[name](states.at(-1), ...real));
  }
  return states.map(state => {
    const now = compute(state, data);
    const said = explain(state, now, data);
    const roles = said.flatMap(([, role]) => role ?? []);
    return {state, now, said: said.map(([text]) => text).join(""), roles};
  });
}

// The logits after every token and the maps of the reader's model; the first tokens are cached.
export async function reading(folder, packed, tokens, off = [], cached = 0) {
  const {read, unpack} = await load(folder, "model.js");
  const model = {...packed, weights: unpack(packed)};
  const before = cached ? read(model, tokens.slice(0, cached), off) : null;
  const {layers, logits} = read(model, tokens.slice(cached), off, before);
  return [logits.map(row => Array.from(row)), layers.map(({maps}) => maps)];
}

// Of the figure that trains: the weights at the start, the loss and the slope at every weight, and
// after a step of Adam on each batch the losses and the weights.
export async function learning(folder, {settings, sizes, tokens, targets}) {
  const {adam, create, gradient} = await load(folder, "model.js");
  const model = create(settings, sizes);
  const copy = () => structuredClone(model.weights);
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

// Of a task its bound, the loss of who looks at nothing, 200 texts and those held out, as [words
// that are read, words that are wanted].
export async function textsOf(folder, name) {
  const {blindLoss, open} = await load(folder, "tasks.js");
  const {uniform} = await load(folder, "random.js");
  const task = open(name);
  const {vocabulary, draw, heldOut, bound} = task;
  const random = uniform(5);
  const words = ({tokens, targets}) => [
    tokens.map(token => vocabulary[token]),
    targets.map(target => (target < 0 ? null : vocabulary[target])),
  ];
  const drawn = Array.from({length: 200}, () => words(draw(random)));
  return {bound, blind: blindLoss(task), texts: drawn, heldOut: heldOut.map(words)};
}

// All messages of the engine that trains; models are what their settings have of their own.
export async function training(folder, {task, models = [{}], steps, slice = 1000, look}) {
  const {serve} = await load(folder, "engine.js");
  const {settingsOf} = await load(folder, "tasks.js");
  const begin = models.map(model => settingsOf(task, model));
  const told = [];
  const waiting = [];
  const tell = news => told.push(structuredClone(news));
  const receive = serve(tell, act => waiting.push(act), slice);
  receive({task, begin, run: 1, said: null, steps, ...(look ? {look} : {})});
  while (waiting.length) waiting.shift()();
  return told;
}
