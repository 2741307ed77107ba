// The chosen number of the microscope in words: parts of a sentence, each with the role it plays.
import {factor, plain, show} from "../kit/numbers.js";
import {attends, most, named} from "../kit/words.js";
import {THOUGHTS} from "./state.js";

const MANY = 9; // e to a larger power than this is written less the row's largest score

const terms = (a, b) => a.map((value, i) => `${factor(value)}·${factor(b[i])}`).join(" + ");

// The thought that is told, or the number under the pointer, or else the one that was chosen.
export function explain(chosen, now, data) {
  const tokens = named(data.tokens);
  if (chosen.told) return STORY[THOUGHTS[chosen.told[0]]](chosen, now, tokens);
  const state = chosen.over ? {...chosen, at: chosen.over} : chosen;
  const [kind, i] = state.at;
  const asking = tokens[i];
  if (kind === "word") return word(asking, now, i, tokens);
  if (kind === "x") return input(asking, state);
  if (kind === "output") return output(asking, state, now);
  return pair(asking, state, now, tokens);
}

function word(asking, now, i, tokens) {
  const weights = now.weights[i];
  if (!now.rows[i].sum) {
    return [[asking, "query"], [" sees no key: its attention weights and output are 0."]];
  }
  return [
    [asking, "query"],
    ...attends(weights, tokens),
    [". Its output, the weighted average of the values, is "],
    [whole(now.output[i]), "output"],
    ["."],
  ];
}

const HOW = "Type another (Enter), drag it up or down, or hold Shift and press ↑ or ↓.";

function input(asking, {at: [, i, j], x}) {
  return [[`Channel ${j + 1} of ${asking} is ${plain(x[i][j])}. ${HOW}`]];
}

function output(asking, {at: [, i, j]}, now) {
  const channel = now.x.map(value => value[j]);
  return [
    [`output of ${asking}`, "output"],
    [`, channel ${j + 1} = `],
    ["attention weights", "weight"],
    [" · "],
    ["values", "value"],
    [` = ${terms(now.weights[i], channel)} = ${plain(now.output[i][j])}`],
  ];
}

// A score, and from it an attention weight.
function pair(asking, state, now, tokens) {
  const [kind, i, j] = state.at;
  const parts = score(asking, state, now, tokens[j]);
  if (!now.visible[i][j]) {
    const hidden = "; hidden by the mask, so it counts as −∞ and its attention weight is ";
    return [...parts, [hidden], ["0", "weight"], ["."]];
  }
  return kind === "score" ? parts : [...parts, ...weight(now, i, j)];
}

function score(asking, {at: [, i, j], divide, temperature}, now, answering) {
  const product = now.products[i][j];
  const parts = [
    [`query of ${asking}`, "query"],
    [" · "],
    [`key of ${answering}`, "key"],
    [` = ${terms(now.x[i], now.x[j])} = ${plain(product)}`],
  ];
  if (now.divisor !== 1) parts.push([`; ÷ ${divide} = ${plain(product / now.divisor)}`]);
  if (temperature !== 1) {
    parts.push([`; ÷ ${plain(temperature)} (temperature) = ${plain(now.scores[i][j])}`]);
  }
  return parts;
}

function weight(now, i, j) {
  const {sum, largest} = now.rows[i];
  const less = Math.abs(largest) > MANY ? largest : 0;
  const lessened = now.scores[i][j] - less;
  const moved = `; minus the largest score of the row, ${plain(less)}, which changes no weight`;
  const power = less ? `${moved}: e^${factor(lessened)}` : `; e^${factor(lessened)}`;
  const total = plain(sum * Math.exp(largest - less));
  return [
    [power],
    [` = ${plain(Math.exp(lessened))}; ÷ ${total}, the sum of the row, = `],
    [show(now.weights[i][j]), "weight"],
    ["."],
  ];
}

// The question, a thought at a time.

const whole = values => `(${values.map(plain).join(", ")})`;

const STORY = {
  asks: ({asks}, now, tokens) => [
    [tokens[asks], "query"],
    [" has the query "],
    [whole(now.x[asks]), "query"],
    [", which is compared with every key."],
  ],
  scores(state, now, tokens) {
    const {asks} = state;
    if (!now.visible[asks].some(Boolean)) return [["Every key is hidden: none gets a score."]];
    const [best] = most(now.weights[asks], tokens).best;
    const told = score(tokens[asks], {...state, at: ["score", asks, best]}, now, tokens[best]);
    const hidden = now.visible[asks].every(Boolean) ? "" : " A hidden key gets none.";
    return [["Every key gets a score. The highest: "], ...told, [`.${hidden}`]];
  },
  weights({asks}, now, tokens) {
    if (!now.rows[asks].sum) return [["No key is visible: every attention weight is 0."]];
    const {told, amount, each} = most(now.weights[asks], tokens);
    return [
      ["Softmax: e^score, divided by the sum of these powers, is the attention weight. "],
      [tokens[asks], "query"],
      [" gives "],
      [amount, "weight"],
      [` of its attention to${each && " each of"} `],
      [told, "key"],
      ["; its weights add up to 1."],
    ];
  },
  values: () => [
    ["Each "],
    ["value", "value"],
    [" is multiplied by its "],
    ["attention weight", "weight"],
    [": its band ends that wide."],
  ],
  output({asks}, now, tokens) {
    const channel = now.x.map(value => value[0]);
    return [
      ["The output is their sum. Channel 1: "],
      [terms(now.weights[asks], channel)],
      [` = ${plain(now.output[asks][0])}, and so on. The output of `],
      [tokens[asks], "query"],
      [" is "],
      [whole(now.output[asks]), "output"],
      ["."],
    ];
  },
};
