// The words of one text. The one that is chosen asks; below each word a bar has its weight, then come
// the answer that is wanted and what the models say.
import {grid} from "../kit/cells.js";
import {alter} from "../kit/figure.js";
import {add, set} from "../kit/nodes.js";
import {show} from "../kit/numbers.js";

const ROOMY = 600; // pixels across: the lines of a model have its name
const WORD = 26;
const BAR = 18;
const LINE = 19;
const LETTER = 9; // pixels of a letter, where it is bold
// How an answer looks, by what is told of it below the words.
const LOOKS = {right: "b", wrong: "wrong", "several can follow": "open"};
const KEY = 230; // wide, with
const APART = 12; // between its parts
const [RIGHT, WRONG, OPEN] = Object.values(LOOKS);

// How many words stand side by side, how wide each is, and how high a row of them.
function measure({models, words, wanted}, width) {
  const left = models.length === 1 ? 62 : width < ROOMY ? 76 : 122; // the names of the lines
  const longest = Math.max(...[...words, ...wanted].map(word => word?.length ?? 0));
  const cell = Math.max(24, Math.min(70, longest * LETTER + 10));
  const across = Math.min(words.length, Math.floor((width - left) / cell));
  const row = WORD + models.length * (BAR + LINE) + LINE + 12;
  const rows = Math.ceil(words.length / across);
  const right = left + across * cell + 12; // of the words, or below them
  const below = {x: Math.min(left, width - KEY), y: rows * row + 4};
  const key = right + KEY > width ? below : {x: right, y: row - 12 - 4};
  return {left, cell, across, row, rows, key};
}

export function heightOf(now, width) {
  const {row, rows, key} = measure(now, width);
  return Math.max(rows * row, key.y + 6);
}

export function drawText({svg, width}, {act}, now) {
  const {left, cell: wide, across, row, rows, key} = measure(now, width);
  const {length} = now.words;
  const lengths = Array.from({length: rows}, (_, n) => Math.min(across, length - n * across));
  const models = now.models.map((_, k) => k);
  const lineOf = (k, name) => {
    if (models.length === 1) return name;
    return width < ROOMY ? `${name} ${k + 1}` : `model ${k + 1} ${name}`;
  };
  const at = (line, k) => WORD + line * BAR + (k ?? 0);
  const ends = WORD + models.length * BAR; // of the bars
  const names = [
    [18, "input"],
    ...models.map(k => [at(k) + 14, lineOf(k, "attention")]),
    [ends + 15, "target"],
    ...models.map(k => [ends + (k + 1) * LINE + 15, lineOf(k, "predicts")]),
  ];
  lengths.forEach((_, n) => {
    for (const [y, name] of names) add(svg, "text", {y: n * row + y, class: "s"}, name);
  });
  const isOpen = now.models[0].says.some(one => one && !one.sure);
  const legend = add(svg, "text", {x: key.x - APART, y: key.y, class: "s"});
  for (const [name, look] of Object.entries(LOOKS)) {
    if (look !== OPEN || isOpen) add(legend, "tspan", {class: look, dx: APART}, name);
  }
  const weights = add(svg, "g"); // the bars, apart from the words
  const bars = [];
  const build = (node, n, j) => {
    const [x, y] = [left + j * wide, n * row];
    const middle = {class: "m", x: x + wide / 2 - 1};
    const all = {x, y: y + 1, width: wide - 3, rx: 3};
    add(node, "rect", {...all, height: row - 12, fill: "transparent"}); // to be touched anywhere
    add(node, "rect", {...all, height: WORD - 3, class: "word"});
    add(node, "text", {...middle, y: y + 18});
    const bar = k => ({x, y: y + at(k), width: 0, height: BAR - 4, fill: "var(--weight)"});
    bars.push(models.map(k => add(weights, "rect", bar(k))));
    add(node, "text", {...middle, y: y + ends + 15});
    for (const k of models) add(node, "text", {...middle, y: y + ends + (k + 1) * LINE + 15});
    add(node, "rect", {...all, height: row - 12, class: "ring"});
  };
  const choose = (n, j) => act(alter, {asks: n * across + j});
  const cells = grid(svg, "tokens of an example", lengths, build, choose).flat();

  return (state, {models: told, words, wanted}) =>
    cells.forEach((node, r) => {
      const chosen = r === state.asks;
      const [, frame, word, ...answers] = node.children;
      const looks = {stroke: chosen ? "var(--query)" : "none", "stroke-width": 2.5};
      set(frame, looks);
      set(word, {class: chosen ? "m b" : "m"}, words[r]);
      bars[r].forEach((bar, k) => set(bar, {width: told[k].row[r] * (wide - 3)}));
      set(answers[0], {}, wanted[r] === null ? "" : wanted[r]);
      told.forEach(({says}, k) => {
        const one = says[r];
        const look = one?.sure ? (one.right ? RIGHT : WRONG) : OPEN;
        set(answers[k + 1], {class: `m ${look}`}, one ? one.word : "");
      });
      set(node, {"aria-label": labelOf(r, told, words, wanted), tabindex: chosen ? 0 : -1});
    });
}

function labelOf(r, told, words, wanted) {
  const weights = told.map(({row}) => show(row[r])).join(" and ");
  if (wanted[r] === null) return `${words[r]}: attention weight ${weights}; no target`;
  const says = told.map(({says: all}) => `${all[r].word} (${show(all[r].p)})`).join(" and ");
  return `${words[r]}: attention weight ${weights}; target ${wanted[r]}, prediction ${says}`;
}
