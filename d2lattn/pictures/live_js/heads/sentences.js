// The sentence twice: who asks above, who answers below; shares are carried from one to the other.
import {grid} from "../kit/cells.js";
import {alter} from "../kit/figure.js";
import {add, set, shown} from "../kit/nodes.js";
import {cut, show} from "../kit/numbers.js";
import {ask, hover} from "./state.js";

const WORDS = 540; // the width of a line of words
const PER_LINE = 10;
const LINE = 26; // the height of a word
const FIRST = 22; // above the words that ask
const ARC = 40; // the width of a share of 1
const THINNEST = 0.8;

// Where the words of a sentence stand.
function seats(words, top) {
  const n = words.length;
  const per = Math.min(n, PER_LINE);
  const lines = Math.ceil(n / per);
  const width = WORDS / Math.max(per, 4);
  const lengths = Array.from({length: lines}, (_, i) => Math.min(per, n - i * per));
  const x = k => ((k % per) + 0.5) * width;
  const y = k => top + Math.floor(k / per) * LINE;
  return {words, per, width, lengths, x, y, bottom: top + lines * LINE};
}

// Are those who answer so few that each has its share below it?
export const inOneLine = answers => answers.length <= PER_LINE;

function placesOf({tokens, answers}) {
  const from = seats(tokens, FIRST);
  const to = seats(answers, from.bottom + (inOneLine(answers) ? 176 : 70));
  return {from, to};
}

// How far down all of it reaches.
export const reachOf = data => placesOf(data).to.bottom + (inOneLine(data.answers) ? 44 : 20);

export function drawSentences(svg, {data, act}) {
  const {tokens, answers} = data;
  const {from, to} = placesOf(data);
  const large = inOneLine(answers);
  const arc = {fill: "none", stroke: "var(--weight)", "stroke-opacity": 0.85};
  const arcs = answers.map(() => add(svg, "path", arc));
  add(svg, "text", {y: 14, class: "s"}, "who asks");
  const all = {large, leave: () => act(alter, {over: null})};
  const who = drawWords(svg, from, {
    ...all,
    name: "who asks?",
    role: "query",
    over: k => act(hover, k, null),
    pick: k => act(ask, k),
  });
  const caption = "who answers" + (large ? ", and its share" : "");
  add(svg, "text", {y: to.bottom + (large ? 36 : 14), class: "s"}, caption);
  const whom = drawWords(svg, to, {
    ...all,
    name: "who answers?",
    role: "key",
    over: k => act(hover, null, k),
    pick: k => act(alter, {answer: k}),
  });
  const under = to.y(0) + LINE + 14;
  const numbers = answers.map((_, k) => add(svg, "text", {class: "m big", x: to.x(k), y: under}));

  return ({least}, {asks, answer, shares}) => {
    shares.forEach((share, k) => {
      const seen = share >= least && share > 0;
      const path = arcPath(from.x(asks), from.y(asks) + LINE - 4, to.x(k), to.y(k));
      set(arcs[k], {...shown(seen), "stroke-width": Math.max(THINNEST, ARC * share), d: path});
      set(whom[k].children[1], {"fill-opacity": 0.6 * share});
      set(whom[k].children[2], shown(k === answer));
      set(whom[k], {"aria-label": `${answers[k]}: share ${show(share)}`});
      set(numbers[k], {}, large && seen ? show(share) : "");
    });
    who.forEach((cell, k) => {
      set(cell.children[2], shown(k === asks));
      set(cell, {"aria-label": k === asks ? `${tokens[k]}, asks` : tokens[k]});
    });
  };
}

function arcPath(x, y, toX, toY) {
  const middle = (y + toY) / 2;
  return `M${x},${y}C${x},${middle} ${toX},${middle} ${toX},${toY}`;
}

// The cells of a sentence: a box, its share as a tint, a frame in the colour of the role, the word.
function drawWords(svg, places, {name, role, large, over, leave, pick}) {
  const {words, per, width} = places;
  const letters = Math.max(3, Math.floor(width / (large ? 9.5 : 8)));
  const mark = {fill: "none", "stroke-width": 2.5, stroke: `var(--${role})`, visibility: "hidden"};
  const build = (cell, i, j) => {
    const k = i * per + j;
    const [x, y] = [places.x(k), places.y(k)];
    const at = {x: x - width / 2 + 2, y, width: width - 4, height: LINE - 4, rx: 5};
    add(cell, "rect", {...at, class: "box"});
    add(cell, "rect", {...at, fill: "var(--weight)", "fill-opacity": 0});
    add(cell, "rect", {...at, ...mark});
    add(cell, "text", {x, y: y + 17, class: large ? "m b" : "m t"}, cut(words[k], letters));
    add(cell, "rect", {...at, class: "ring"});
    cell.addEventListener("pointerenter", () => over(k));
    cell.addEventListener("pointerleave", leave);
  };
  return grid(svg, name, places.lengths, build, (i, j) => pick(i * per + j)).flat();
}
