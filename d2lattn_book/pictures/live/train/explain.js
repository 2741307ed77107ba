// What is seen, in words: parts of a sentence, each with the role it plays.
import {dot, show, sum} from "../kit/numbers.js";
import {TASKS} from "./tasks.js";

const percent = share => `${Math.round(100 * share)} %`;

// What is worth a look where a setting stands in the way of a task: arithmetic, and no verdict.
const LOOK = [
  [
    ({mask}, {writes}) => writes && !mask,
    "The mask is off, so each token also sees the next one, which is its target: compare the " +
      "training loss with the held-out loss, which is measured with the mask on. (The example " +
      "shown is read without the mask, as in training.)",
  ],
  [
    ({mask}, {name}) => mask && name === "asked",
    "With the mask on no query sees later tokens: see which predictions are wrong.",
  ],
  [
    ({layers}, {name}) => name === "copy" && layers === 1,
    "In one layer a letter can attend to its earlier copy, but the number after that copy " +
      "holds only itself and its position, not the letter before it, so it guesses among the " +
      "numbers it has seen, which is right about half the time.",
  ],
  [
    ({positions, layers, mask}, {name}) =>
      positions === "none" && mask && ["back", "copy"].includes(name) && layers > 1,
    "Without positions a first layer sees only which tokens are there. But under the mask each one " +
      "sees one more than the token before it, and a second layer can use that: compare " +
      "with the mask off.",
  ],
  [
    ({positions, layers}, {name}) =>
      positions === "none" && ["back", "copy", "sentences"].includes(name) && layers > 0,
    "Without positions the first layer sees which tokens are there, and not in which " +
      "order: compare the attention weights of two equal tokens.",
  ],
  [
    ({same_qk: same, positions}, {name}) => same && positions !== "rotary" && name === "asked",
    "With W_q = W_k every score is symmetric: a scores c exactly as c scores a.",
  ],
  [
    ({divisor}) => divisor === "1",
    "Undivided scores start out √d times as large: see how peaked the weights are before step 1.",
  ],
];

// How a model does: its training loss, its held-out loss, and right predictions.
function told({loss, exam}, {change}, k) {
  const name = change ? `model ${k + 1}` : "";
  const training = loss === undefined ? "" : `training loss ${show(loss)}, `;
  const right = `held-out accuracy ${percent(exam.right)}`;
  const said = `${name && `${name}: `}${training}held-out loss ${show(exam.loss)}, ${right}.`;
  return [[` ${said[0].toUpperCase()}${said.slice(1)}`]];
}

// What the chosen query attends to, and what the model predicts there.
function asking({asks, sides, change, model: k}, {models, words, wanted}) {
  const {row, best, at, says, settings} = models[k];
  const many = settings.layers > 1 || settings.heads > 1;
  const where = many ? `layer ${at[0]}, head ${at[1]}, ` : "";
  const said = [
    [change ? ` In model ${k + 1}, the query at ` : " The query at "],
    [words[asks], "query"],
    [" attends most to "],
    [words[best], "key"],
    [` (position ${best}, ${where}weight ${show(row[best])})`],
  ];
  const more = sides ? productOf(models[k], asks) : othersOf(models, k, words);
  if (!says[asks]) return [...said, ["."], ...more];
  const {word, p, right, sure} = says[asks];
  const wrong = sure
    ? `but the target is ${wanted[asks]}.`
    : `the target is ${wanted[asks]}, one of several.`;
  const verdict = right ? "which is correct here." : wrong;
  const answer = [
    [", and the model predicts "],
    [word, "output"],
    [` (probability ${show(p)}), ${verdict}`],
  ];
  return [...said, ...answer, ...(sides ? [] : headOn(word, models[k], words, asks)), ...more];
}

// The head that gives most of its attention to what the model predicts, where another one is shown.
function headOn(word, {maps, best}, words, asks) {
  const at = asks * words.length;
  const on = map => sum(words.map((one, j) => (one === word ? map[at + j] : 0)));
  const heads = maps.flatMap((layer, n) => layer.map((map, h) => [on(map), n, h]));
  const [weight, n, h] = heads.reduce((one, other) => (other[0] > one[0] ? other : one));
  if (words[best] === word || weight < 0.5) return [];
  return [[` Layer ${n}, head ${h} gives ${word} a weight of ${show(weight)}: choose its map.`]];
}

// What the same query attends to in the other model.
function othersOf(models, k, words) {
  const others = models.filter((_, n) => n !== k);
  return others.map(({row, best: j}) => [
    ` In model ${2 - k} the query attends most to ${words[j]} (position ${j}, weight ${show(row[j])}).`,
  ]);
}

// From a query and a key to their score, from the scores to an attention weight.
function productOf({sides, row, best, settings: {divisor, width, heads, mask}}, asks) {
  const d = width / heads;
  const by = {1: ["1", 1], "√d": [`√${d}`, Math.sqrt(d)], d: [d, d]}[divisor];
  const products = sides.k.map(key => dot(sides.q[asks], key));
  const powers = products.slice(0, mask ? asks + 1 : Infinity).map(one => Math.exp(one / by[1]));
  const score = show(products[best] / by[1]);
  return [
    [
      ` The dot product of this query and this key is ${show(products[best])}; divided by ${by[0]}, it is`,
    ],
    [
      ` the score, ${score}. e^${score} is ${show(powers[best])}, and ${show(sum(powers))} with those`,
    ],
    [` of the others: an attention weight of ${show(row[best])}. It multiplies the value.`],
  ];
}

export function explain(state, now) {
  const {needs, writes = false} = TASKS[state.task];
  if (!now.models.length) return [[needs]];
  const about = {name: state.task, writes};
  const looks = LOOK.filter(([holds]) => now.models.some(one => holds(one.settings, about)));
  const look = looks.length && !state.sides ? [[` ${looks[0][1]}`]] : []; // or there is too much to read
  const first = asking(state, now);
  if (now.step === 0) return [[`${needs} Before training:`], ...first]; // guess first
  const bound =
    state.bound === null
      ? ""
      : ` No ${writes ? "causal " : ""}model gets below ${show(state.bound)}.`;
  const all = now.models.flatMap((one, k) => told(one, state, k));
  return [[`Step ${now.step}.`], ...all, [state.change ? "" : bound], ...first, ...look];
}
