// A training that goes on by itself, the same in a worker and in slices on the page: steps, what is
// kept of them, and what is told of the one that is looked at. No page in here.
import {adam, create, crossEntropy, forward, gradient} from "./model.js";
import {uniform} from "./random.js";
import {BATCH, TASKS, batch, joined, open} from "./tasks.js";

const EVERY = 10; // steps between two examinations; the first few are all looked at
const KEPT = 100; // models of the past; when there are more, every other one goes
const TEXTS = {text: 8}; // in a batch, where they are long

// Which words of a text have one right answer.
const surely = ({targets, sure}) => sure ?? targets.map(target => target >= 0);

// What it does with texts that it has never learned from: the share of right answers, and the loss.
// In use there is no next word yet: where a task writes, the examination has the mask on, whatever
// the training had.
export function examined(model, task) {
  const mask = model.sizes.mask || Boolean(TASKS[task.name].writes);
  const {tokens, targets} = joined(task.heldOut);
  const {logits} = forward({...model, sizes: {...model.sizes, mask}}, tokens);
  const {V} = model.sizes;
  const {loss} = crossEntropy(logits, targets, V);
  const sure = task.heldOut.flatMap(surely);
  const asked = targets.map((_, r) => r).filter(r => sure[r]);
  const right = asked.filter(r => best(logits, r, V) === targets[r]);
  return {right: right.length / asked.length, loss};
}

function best(logits, r, V) {
  let most = 0;
  for (let c = 1; c < V; c++) if (logits[r * V + c] > logits[r * V + most]) most = c;
  return most;
}

// One model in training. `losses[k]` is the loss of the batch of step k + 1; `exams` say what it
// does after so many steps with texts that it has never seen; `past` are the weights after a step.
export class Training {
  constructor(name, settings, said) {
    this.task = open(name, said);
    this.model = create(settings, {V: this.task.vocabulary.length, L: this.task.L});
    this.learn = adam(this.model, settings.rate);
    this.random = uniform(settings.seed, "texts");
    this.losses = [];
    this.exams = [];
    this.examine();
    this.stride = 1;
    this.past = [this.copy()];
  }

  get step() {
    return this.losses.length;
  }

  copy() {
    const weights = {};
    for (const [name, W] of Object.entries(this.model.weights)) weights[name] = W.slice();
    return {step: this.step, weights};
  }

  // One batch, one step of Adam.
  advance() {
    const {tokens, targets} = batch(this.task, this.random, TEXTS[this.task.name] ?? BATCH);
    const {loss, grads} = gradient(this.model, tokens, targets);
    this.learn(grads);
    this.losses.push(loss);
    if (this.step % EVERY === 0) this.examine();
    if (this.step % this.stride === 0) this.keep();
  }

  examine() {
    this.exams.push({step: this.step, ...examined(this.model, this.task)});
  }

  keep() {
    this.past.push(this.copy());
    if (this.past.length <= KEPT) return;
    this.stride *= 2;
    this.past = this.past.filter(({step}) => step % this.stride === 0);
  }

  // The model at a step, or at the last one kept before it; the newest without a step.
  at(step = null) {
    if (step === null || step >= this.step) return {step: this.step, model: this.model};
    const kept = this.past.findLast(one => one.step <= step);
    return {step: kept.step, model: {...this.model, weights: kept.weights}};
  }

  // Everything that is drawn of one text: the maps, what the heads ask, and what would be answered.
  look({step = null, text = 0}) {
    const found = this.at(step);
    const shown = this.task.heldOut[text % this.task.heldOut.length];
    const {tokens, targets} = shown;
    const {layers, logits} = forward(found.model, tokens);
    const {p} = crossEntropy(logits, targets, this.task.vocabulary.length);
    const sides = ({weights, q, k, v}) => ({weights, q, k, v});
    return {step: found.step, tokens, targets, sure: surely(shown), p, layers: layers.map(sides)};
  }
}

// What a page asks of it, as messages: {begin: [settings, …], task, said, run} starts anew, {look:
// {step, text}} says which model of the past and which text are shown, {steps} how many are still to
// be gone, 0 to stop, and {going} is the number of this wish. `post` gets what there is to tell, {run,
// going, left, step, kept, news}; `later` calls back soon, so that messages come through; a slice of
// work lasts `slice` milliseconds. What is new is told every 30 at most.
export function serve(post, later, slice) {
  let trainings = [];
  let now = {run: 0, going: 0, look: {}, left: 0, told: 0, busy: false};

  function tell() {
    now.told = performance.now();
    const news = trainings.map(one => {
      const losses = one.losses.slice(one.told ?? 0);
      one.told = one.step;
      return {losses, exams: one.exams, look: one.look(now.look)};
    });
    const [{step, past}] = trainings;
    const {run, going, left} = now;
    post({run, going, left, step, kept: past.map(one => one.step), news});
  }

  function work() {
    const end = performance.now() + slice;
    while (now.left > 0 && performance.now() < end) {
      for (const one of trainings) one.advance();
      now.left -= 1;
    }
    if (now.left === 0 || performance.now() > now.told + 30) tell();
    now.busy = now.left > 0;
    if (now.busy) later(work);
  }

  return message => {
    if (message.begin) {
      trainings = message.begin.map(one => new Training(message.task, one, message.said));
      now = {...now, run: message.run, left: 0};
    }
    now.look = message.look ?? now.look;
    now.left = message.steps ?? now.left;
    now.going = message.going ?? now.going;
    if (now.busy) return;
    now.busy = now.left > 0;
    if (now.busy) later(work);
    else tell();
  };
}
