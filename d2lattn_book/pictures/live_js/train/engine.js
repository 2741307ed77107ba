// A training that goes on by itself, the same in a worker and in slices on the page: steps, what is
// kept of them, and what is told of the one that is looked at. No page in here.
import {adam, create, crossEntropy, forward, gradient} from "./model.js";
import {uniform} from "./random.js";
import {BATCH, TASKS, batch, joined, open} from "./tasks.js";

const EVERY = 10; // steps between two examinations; the first few are all looked at
const KEPT = 100; // models of the past; when there are more, every other one goes
const TEXTS = {text: 8}; // in a batch, where they are long

// What it does with texts that it has never learned from: the share of right answers, and the loss.
// In use there is no next word yet: where a task writes, the examination has the mask on, whatever
// the training had.
export function examined(model, task) {
  const mask = model.sizes.mask || Boolean(TASKS[task.name].writes);
  const {tokens, targets} = joined(task.heldOut);
  const {logits} = forward({...model, sizes: {...model.sizes, mask}}, tokens);
  const {L, V} = model.sizes;
  const {loss} = crossEntropy(logits, targets, V);
  const sure = r => task.heldOut[Math.floor(r / L)].sure?.includes(r % L) ?? targets[r] >= 0;
  const asked = targets.map((_, r) => r).filter(sure);
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
    const {tokens, targets} = this.task.heldOut[text % this.task.heldOut.length];
    const {layers, logits} = forward(found.model, tokens);
    const {p} = crossEntropy(logits, targets, this.task.vocabulary.length);
    const sides = ({shares, q, k, v}) => ({shares, q, k, v});
    return {step: found.step, tokens, targets, p, layers: layers.map(sides)};
  }
}

// What a page asks of it, as messages: {begin: [settings, …], name, said}, {steps: n}, {play: true or
// false}, {look: {step, text}}. `post` gets what there is to tell, and `later` calls back soon, so
// that messages come through; a slice of work lasts `slice` milliseconds. It tells what is new at
// most every 30.
export function serve(post, later, slice) {
  let trainings = [];
  let looked = {};
  let left = 0; // steps to go
  let busy = false;
  let told = 0;

  function tell() {
    told = performance.now();
    const news = trainings.map(one => {
      const since = one.told ?? 0;
      one.told = one.step;
      return {losses: one.losses.slice(since), exams: one.exams, look: one.look(looked)};
    });
    post({step: trainings[0].step, kept: trainings[0].past.map(({step}) => step), news});
  }

  function work() {
    const end = performance.now() + slice;
    while (left > 0 && performance.now() < end) {
      for (const one of trainings) one.advance();
      left -= 1;
    }
    if (left === 0 || performance.now() > told + 30) tell();
    busy = left > 0;
    if (busy) later(work);
  }

  return message => {
    if (message.begin) {
      trainings = message.begin.map(one => new Training(message.name, one, message.said));
      left = 0;
    }
    if (message.look) looked = message.look;
    if ("steps" in message) left = message.steps;
    if (left > 0 && !busy) {
      busy = true;
      later(work);
    } else if (!busy) tell();
  };
}
