// The online softmax: what is chosen, and the state after every number. No page in here.
import {clamp, replaced} from "../kit/numbers.js";

// The state after each number: the largest score so far, how what was there is rescaled, the
// power of the new number, the sum of powers, and the sum of power · value.
export function online(scores, values) {
  const nothing = {largest: -Infinity, rescale: 1, power: 0, sum: 0, total: values[0].map(() => 0)};
  const states = [nothing];
  scores.forEach((score, j) => states.push(next(states[j], score, values[j])));
  return states.map(state => {
    const output = state.total.map(total => (state.sum ? total / state.sum : 0));
    return {...state, output};
  });
}

function next(before, score, value) {
  const largest = Math.max(before.largest, score);
  const none = largest === -Infinity; // nothing but hidden scores yet
  const rescale = none ? 1 : Math.exp(before.largest - largest);
  const power = none ? 0 : Math.exp(score - largest);
  const total = before.total.map((old, c) => old * rescale + power * value[c]);
  return {largest, rescale, power, sum: before.sum * rescale + power, total};
}

// `read` is how many numbers have been read, `at` the row and column of the table that is chosen.
export function begin({scores, values}) {
  const finite = scores.map(score => (score === null ? -Infinity : score)); // JSON has no infinity
  return {scores: finite, values, read: 0, at: [0, 0]};
}

export function go(state, read) {
  const kept = clamp(read, 0, state.scores.length);
  return {...state, read: kept, at: [state.at[0], Math.max(0, kept - 1)]};
}

// To pick a number of the table is to go there.
export const pick = (state, i, j) => go({...state, at: [i, j]}, j + 1);

// The first rows of the table are the scores and the values, which can be changed.
export const isInput = ({values}, i) => i <= values[0].length;

export const read = ({scores, values}, [i, j]) => (i ? values[j][i - 1] : scores[j]);

// Change a score or a value; what is computed stays.
export function write(state, [i, j], value) {
  if (i) return {...state, values: replaced(state.values, j, i - 1, value)};
  return {...state, scores: replaced([state.scores], 0, j, value)[0]};
}

// The rows of the table: name, role, and how a number that is computed is read from its state.
export function rowsOf({values}) {
  const several = values[0].length > 1;
  const each = (name, role, get) =>
    values[0].map((_, c) => [several ? `${name} ${c + 1}` : name, role, s => get(s)[c]]);
  const output = each("output", "output", s => s.output);
  output[0][0] = several ? "output 1 = o 1 ÷ l" : "output = o ÷ l";
  return [
    ["score", "key"],
    ...each("value", "value"),
    ["running maximum m", null, s => s.largest],
    ["rescaling factor", null, s => s.rescale],
    ["new: e^(score − m)", "weight", s => s.power],
    ["normalizer l", null, s => s.sum],
    ...each("accumulator o", "value", s => s.total),
    ...output,
  ];
}

// All states, and the table: a row of numbers for each of its rows.
export function compute(state, data) {
  const states = online(state.scores, state.values);
  const table = rowsOf(data).map(([, , get], i) =>
    state.scores.map((_, j) => (isInput(state, i) ? read(state, [i, j]) : get(states[j + 1]))),
  );
  return {states, now: states[state.read], table};
}
