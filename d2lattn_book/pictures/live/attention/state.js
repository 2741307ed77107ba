// The microscope: what is chosen in it, and every number that follows. No page in here.
import {clamp, dot, plain, replaced, softmax} from "../kit/numbers.js";

export const RULES = ["none", "padding", "causal", "window", "causal + padding", "causal + window"];
export const ROWS_ASK = ["word", "score", "weight", "output"]; // to pick a row is to ask

// The divisors of scores that the menu offers, by name, and the name with which it opens.
export function divisorsOf({x, divisor}) {
  const width = x[0].length;
  const root = `√${width}`;
  const divisors = new Map([
    ["1", 1],
    [root, Math.sqrt(width)],
    [`${width}`, width],
  ]);
  if (!divisor) return {divisors, first: root};
  const near = [...divisors.keys()].find(name => Math.abs(divisors.get(name) - divisor) < 1e-5);
  const first = near ?? plain(divisor);
  if (!divisors.has(first)) divisors.set(first, divisor);
  return {divisors, first};
}

// `at` is the number that is explained: its kind, row and column; `over` that under a pointer.
// `told` is the thought of the story, and how many of its parts are told.
export const begin = data => ({
  x: data.x,
  divide: divisorsOf(data).first,
  temperature: 1,
  rule: data.rule,
  size: data.size,
  asks: data.asks,
  at: ["word", data.asks, 0],
  over: null,
  told: null,
});

// Another word takes up the story where it is; a number ends it. What is picked counts, until the
// pointer moves.
export function pick(state, kind, i, j) {
  const told = kind === "word" ? state.told : null;
  return {
    ...state,
    told,
    over: null,
    at: [kind, i, j],
    asks: ROWS_ASK.includes(kind) ? i : state.asks,
  };
}

// The question, a thought at a time: who asks, scores one by one, weights, values one by one, and
// what comes out.
export const THOUGHTS = ["asks", "scores", "weights", "values", "output"];

export const tell = (state, thought) => ({
  ...state,
  told: thought === null ? null : [thought, 0],
  at: ["word", state.asks, 0],
});

export const unfold = (state, part) => ({...state, told: state.told && [state.told[0], part]});

export const partsOf = ({told, x}) =>
  ["scores", "values"].includes(THOUGHTS[told[0]]) ? x.length : 1;

// How much of each thought is on screen: of scores and values so many, of the others all or none.
export function unfolded({told, x}) {
  const all = {asks: 1, scores: x.length, weights: 1, values: x.length, output: 1};
  if (!told) return all;
  const [thought, part] = told;
  const amount = (name, k) => (k < thought ? all[name] : k === thought ? part : 0);
  return Object.fromEntries(THOUGHTS.map((name, k) => [name, amount(name, k)]));
}

// Change a number of the tokens. What is computed stays.
export function write(state, [kind, i, j], value) {
  return kind === "x" ? {...state, x: replaced(state.x, i, j, value)} : state;
}

export const resize = (state, size) => ({
  ...state,
  size: clamp(Math.round(size), 0, state.x.length),
});

// May word i see word j? `rule` names one mask or several; `size` is a length or a width.
export function maySee(rule, i, j, size) {
  if (rule.includes("padding") && j >= size) return false;
  if (rule.includes("causal") && j > i) return false;
  return !(rule.includes("window") && Math.abs(i - j) >= size);
}

// Attention from the tokens alone: they are queries, keys and values themselves.
export function attend({x, divisor, temperature, rule, size}) {
  const visible = x.map((_, i) => x.map((_, j) => maySee(rule, i, j, size)));
  const products = x.map(query => x.map(key => dot(query, key)));
  const scores = products.map(row => row.map(product => product / divisor / temperature));
  const rows = scores.map((row, i) => softmax(row, visible[i]));
  const weights = rows.map(row => row.weights);
  const channels = x[0].map((_, c) => x.map(value => value[c]));
  const output = weights.map(row => channels.map(channel => dot(row, channel)));
  return {x, visible, products, scores, rows, weights, output};
}

// All that is shown: `panels` holds the matrix of each kind as it is on screen.
export function compute(state, data) {
  const divisor = divisorsOf(data).divisors.get(state.divide);
  const now = attend({...state, divisor});
  const panels = {x: state.x, score: now.scores, weight: now.weights, output: now.output};
  return {...now, divisor, panels};
}
