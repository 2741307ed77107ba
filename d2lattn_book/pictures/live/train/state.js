// What is chosen, what has been told of the training, and what follows for the picture. No page here.
import {TASKS, blindLoss, open, settingsOf} from "./tasks.js";

export const MOST = 3000; // steps that a training goes
const SHORTEST = 40; // letters of one's own text, of which a fifth is held out
const LETTERS = 2000; // and the most

// A choice as it stands in a menu, "positions: none", and back.
const ON = {true: "on", false: "off"};
export const SHOWN = {same_qk: "W_q = W_k", divisor: "scores ÷", mlp: "MLP", rate: "learning rate"};
export const shown = ([name, value]) => `${SHOWN[name] ?? name}: ${ON[value] ?? value}`;

// What a model is called beside another one.
export const nameOf = ({change}, k) => (k ? `model 2: ${briefly(change)}` : "model 1");

// How the options stand: the task and what is compared; and of what the model is made what is not
// as it mostly is.
const USUAL = {divisor: "√d", same_qk: false, mlp: false, seed: 1};
const briefly = ([name, value]) =>
  ["layers", "heads"].includes(name)
    ? `${value} ${value === 1 ? name.slice(0, -1) : name}`
    : shown([name, value]).replace(":", "");
export const compared = ({task, change}) =>
  TASKS[task].title + (change ? `; model 2: ${briefly(change)}` : "");
export function madeOf({task, settings}) {
  const usual = {...USUAL, rate: settingsOf(task).rate};
  const told = Object.entries(settings).filter(([name, value]) => usual[name] !== value);
  return told.map(briefly).join(", ");
}

export const CHOICES = {
  layers: [1, 2],
  heads: [1, 2, 4],
  width: [8, 16, 24, 32],
  positions: ["none", "added", "rotary"],
  mask: [true, false],
  divisor: ["1", "√d", "d"],
  same_qk: [true, false],
  mlp: [true, false],
  seed: [1, 2, 3],
};
export const CHANGES = Object.entries(CHOICES).flatMap(([name, values]) =>
  values.map(value => [name, value]),
);

const LAST = Math.max(...CHOICES.layers) - 1; // of its layers a model reads the answer out of this one

// Everything starts anew: other models, or other texts. `run` tells what belongs to which start.
function anew(state, others) {
  const next = {...state, ...others};
  return {...next, run: state.run + 1, step: null, report: null, playing: false};
}

function opened(state, task, chosen, said) {
  const made = open(task, said);
  const {vocabulary, bound, heldOut} = made;
  const own = {task, said, settings: settingsOf(task, chosen), vocabulary, bound};
  const asks = heldOut[0].targets.findLastIndex(target => target >= 0);
  const looked = {asks, text: 0, layer: LAST, head: 0, model: 0, blind: blindLoss(made)};
  return anew({...state, ...own}, looked);
}

const changed = compare => compare && Object.entries(compare)[0];

export function begin({task, model = {}, compare = null, said = null}) {
  const state = {run: 0, going: 0, sides: false, change: changed(compare)};
  return opened(state, task, model, said);
}

// What another address says; an address that says nothing changes nothing.
export function sent(state, read) {
  if (!read) return state;
  const next = {...state, change: changed(read.compare), sides: false};
  return opened(next, read.task, read.model, state.said);
}

// Changes by hand.
export const choose = (state, task) => opened({...state, change: null}, task, {}, state.said);
export const again = state => anew(state, {});
export const beside = (state, change) => anew(state, {change, layer: LAST, head: 0, model: 0});

export function settle(state, name, value) {
  const settings = {...state.settings, [name]: value};
  return anew(state, {settings, layer: LAST, head: 0});
}

export function type(state, said) {
  const text = said.slice(0, LETTERS);
  return text.length < SHORTEST ? state : opened(state, "text", state.settings, text);
}

// Every start and stop has a number of its own: what the engine tells of an earlier one ends nothing.
export const play = (state, playing) => ({...state, playing, step: null, going: state.going + 1});
export const lookAt = (state, step) => ({...state, step});
export const nextText = state => ({...state, text: state.text + 1});

// What the engine tells: only of the start that is shown, for others were overtaken by a hand.
export function arrived(state, {run, going, left, step, kept, news}) {
  if (run !== state.run) return state;
  const before = state.report?.models ?? [];
  const models = news.map(({losses, exams, look}, k) => {
    return {losses: [...(before[k]?.losses ?? []), ...losses], exams, look};
  });
  const ended = left === 0 && going === state.going;
  return {...state, playing: state.playing && !ended, report: {step, kept, models}};
}

// The settings of the first model, and of the second where there is one.
export function settingsOfAll({settings, change}) {
  return change ? [settings, {...settings, [change[0]]: change[1]}] : [settings];
}

// What the engine has to know of a state.
export const beginning = state => ({
  begin: settingsOfAll(state),
  task: state.task,
  said: state.said,
  run: state.run,
});

// What a head makes of each word, by the names that the engine gives them.
export const SIDES = [
  {key: "q", role: "query", one: "query", name: "queries"},
  {key: "k", role: "key", one: "key", name: "keys"},
  {key: "v", role: "value", one: "value", name: "values"},
];

const largest = row => row.reduce((best, value, k) => (value > row[best] ? k : best), 0);

// The rows of q, k and v that belong to a head.
function sidesOf(layer, head, {width, heads}) {
  const d = width / heads;
  const rows = flat =>
    Array.from({length: flat.length / width}, (_, i) => {
      const from = i * width + head * d;
      return Array.from(flat.slice(from, from + d));
    });
  return Object.fromEntries(SIDES.map(({key}) => [key, rows(layer[key])]));
}

// Of a model: its settings, loss, last examination, maps, the row of weights of the word that asks
// and whom it asks most, the queries, keys and values of that head, and for every word that is
// asked what the model says and how sure it is.
function modelOf(settings, {losses, exams, look}, {asks, layer, head, vocabulary}) {
  const [L, V] = [look.tokens.length, vocabulary.length];
  const maps = look.layers.map(({weights}) =>
    Array.from({length: settings.heads}, (_, h) => weights.slice(h * L * L, (h + 1) * L * L)),
  );
  const at = [Math.min(layer, settings.layers - 1), Math.min(head, settings.heads - 1)];
  const row = maps[at[0]][at[1]].slice(asks * L, (asks + 1) * L);
  const says = look.targets.map((target, r) => {
    if (target < 0) return null;
    const p = look.p.slice(r * V, (r + 1) * V);
    const said = largest(p);
    return {word: vocabulary[said], p: p[said], right: said === target, sure: look.sure[r]};
  });
  const sides = sidesOf(look.layers[at[0]], at[1], settings);
  const best = largest(row);
  const exam = exams.findLast(({step}) => step <= look.step);
  const loss = losses[look.step - 1];
  return {settings, maps, at, row, best, sides, says, exam, losses, exams, loss};
}

export function compute(state) {
  const {report, vocabulary} = state;
  if (!report) return {models: []};
  const [{look}] = report.models;
  const all = settingsOfAll(state);
  const models = report.models.map((one, k) => modelOf(all[k], one, state));
  const words = look.tokens.map(token => vocabulary[token]);
  const wanted = look.targets.map(target => (target < 0 ? null : vocabulary[target]));
  return {models, words, wanted, step: look.step, last: report.step, kept: report.kept};
}

export const titles = () => Object.values(TASKS).map(({title}) => title);
export const named = title => Object.keys(TASKS).find(name => TASKS[name].title === title);
