// What is seen, in words: parts of a sentence, each with the role it plays.
import {dot, show, sum} from "../kit/numbers.js";
import {shown} from "./state.js";
import {TASKS} from "./tasks.js";

const percent = share => `${Math.round(100 * share)} %`;

// What is worth a look where a setting stands in the way of a task: arithmetic, and no verdict.
const LOOK = [
  [
    ({mask}, {writes}) => writes && !mask,
    "The mask is off, so each word also sees the next one, which is its answer: compare the loss " +
      "in learning with the loss in use, where the next word is not there yet. (The words shown " +
      "are read as in learning, the share of right answers is that in use.)",
  ],
  [
    ({mask}, {name}) => mask && name === "asked",
    "With the mask on nobody sees those who stand later: look which answers are wrong.",
  ],
  [
    ({layers}, {name}) => name === "copy" && layers === 1,
    "In one layer a letter finds its earlier copy, but the number after that copy knows only " +
      "itself and its position, not the letter that it followed.",
  ],
  [
    ({positions, layers, mask}, {name}) =>
      positions === "none" && mask && ["back", "copy"].includes(name) && layers > 1,
    "Without positions a first layer sees only which words are there. But under the mask each word " +
      "sees one more than the word before it, and a second layer can make use of that: compare " +
      "with the mask off.",
  ],
  [
    ({positions, layers}, {name}) =>
      positions === "none" && ["back", "copy", "sentences"].includes(name) && layers > 0,
    "Without positions a word in the first layer sees which words are there, and not in which " +
      "order: look whether two that are alike get the same share.",
  ],
  [
    ({same_qk: same, positions}, {name}) => same && positions !== "rotary" && name === "asked",
    "With W_q = W_k every score is symmetric: a asks c exactly as much as c asks a.",
  ],
  [
    ({divisor}) => divisor === "1",
    "Undivided scores start out √d times as large: look how hard the maps are before step 1.",
  ],
];

const named = (change, k) => (change ? (k ? `With ${shown(change)}` : "The first model") : "");

// How a model does: its loss in learning and in use, and right answers.
function told({loss, exam}, {change}, k) {
  const start = named(change, k) ? ` ${named(change, k)}: loss` : " Loss";
  const now = loss === undefined ? "" : `${start} in learning ${show(loss)}, in`;
  const used = `${now || `${start} in`} use ${show(exam.loss)}; `;
  return [[`${used}${percent(exam.right)} right on texts it has never seen.`]];
}

// Whom the word that is chosen asks, and what the model says there.
function asking({asks, sides, change, model: k}, {models, words, wanted}) {
  const {row, best, at, says, settings} = models[k];
  const many = settings.layers > 1 || settings.heads > 1;
  const where = many ? ` in layer ${at[0]}, head ${at[1]}` : "";
  const said = [
    [k ? ` With ${shown(change)}, ` : " "],
    [words[asks], "query"],
    [` takes most, ${show(row[best])}, from `],
    [words[best], "key"],
    [where],
  ];
  const more = sides ? productOf(models[k], asks) : othersOf(models, k, words);
  if (!says[asks]) return [...said, ["."], ...more];
  const {word, p, right, sure} = says[asks];
  const wrong = sure ? `but right is ${wanted[asks]}.` : `and here it is ${wanted[asks]}.`;
  const verdict = right ? "which is right." : wrong;
  const answer = [[", and the model says "], [word, "output"], [` (${show(p)}), ${verdict}`]];
  return [...said, ...answer, ...more];
}

// Whom the same word asks in the model beside.
function othersOf(models, k, words) {
  const others = models.filter((_, n) => n !== k);
  return others.map(({row, best}) => [
    ` In the other model most, ${show(row[best])}, comes from ${words[best]}.`,
  ]);
}

// From a query and a key to their score, from the scores to a share, and what the shares are for.
function productOf({sides, row, best, settings: {divisor, width, heads, mask}}, asks) {
  const d = width / heads;
  const by = {1: ["1", 1], "√d": [`√${d}`, Math.sqrt(d)], d: [d, d]}[divisor];
  const products = sides.k.map(key => dot(sides.q[asks], key));
  const powers = products.slice(0, mask ? asks + 1 : Infinity).map(one => Math.exp(one / by[1]));
  const score = show(products[best] / by[1]);
  return [
    [
      ` The product of this query and this key is ${show(products[best])}; divided by ${by[0]}, it is`,
    ],
    [
      ` the score, ${score}. e^${score} is ${show(powers[best])}, and ${show(sum(powers))} with those`,
    ],
    [` of the others: a share of ${show(row[best])}. The values, mixed by their shares, go on.`],
  ];
}

export function explain(state, now) {
  const {needs, writes = false} = TASKS[state.task];
  if (!now.models.length) return [[needs]];
  const about = {name: state.task, writes};
  const looks = LOOK.filter(([holds]) => now.models.some(one => holds(one.settings, about)));
  const look = looks.length && !state.sides ? [[` ${looks[0][1]}`]] : []; // or there is too much to read
  const first = asking(state, now);
  if (now.step === 0) return [[`${needs} Before the first step:`], ...first]; // guess first
  const bound =
    state.bound === null ? "" : ` Nobody who reads honestly gets below ${show(state.bound)}.`;
  const all = now.models.flatMap((one, k) => told(one, state, k));
  return [[`Step ${now.step}.`], ...all, [state.change ? "" : bound], ...first, ...look];
}
