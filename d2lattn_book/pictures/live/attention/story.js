// The sentence: its question runs along a rail under the words and leaves a score with each; above
// them their weights, and their values, which flow into the output.
import {grid} from "../kit/cells.js";
import {put} from "../kit/motion.js";
import {WIDE, add, set, shown} from "../kit/nodes.js";
import {clamp, cut, short} from "../kit/numbers.js";
import {pick, unfolded} from "./state.js";

export const LEFT = 58; // of the first word, and of the first panel
const LEFT_NARROW = 42;
const WIDEST = 150; // of the room for a word
const ABOVE = 17; // the line of weights, below the base of the bars
const WORD = {top: 21, height: 33}; // a word, below the base of the bars
const RAIL = 62;
const BELOW = 84; // the line of scores
const BAR = 34;
const STREAM = 68; // the end of a value of weight 1, as wide as all that flows into the output
const ROOMY = 600; // the width of a drawing with room for a whole caption
const MOUTH = 30; // where the streams end, under the output
const OUT = 54; // a number that comes out
const FAINT = 0.004; // a stream of a smaller weight is not drawn

// What is not told yet is not there; when it comes, it fades in.
const seen = yes => ({opacity: yes ? null : 0, ...shown(yes)});

export function drawStory(svg, {data, act}, {width, base}) {
  const {tokens} = data;
  const wide = width >= WIDE;
  const left = wide ? LEFT : LEFT_NARROW;
  const step = Math.min(WIDEST, (width - left) / tokens.length);
  const middle = j => left + (j + 0.5) * step;
  const room = {svg, tokens, step, middle, base, width, left, wide};
  const bars = drawBars(room);
  const rail = drawRail(room);
  const words = drawWords(room, (_, j) => act(pick, "word", j, 0));
  const outputs = drawOutput(room, data.x[0].length);
  return (state, now) => {
    const {asks} = state;
    const open = unfolded(state);
    const mouth = outputs(asks, now.output[asks], open);
    bars(now, asks, mouth, open);
    rail(state, open);
    words.forEach((cell, k) => {
      const says = k === asks ? "the query" : `attention weight ${short(now.weights[asks][k])}`;
      set(cell, {
        "aria-label": `${tokens[k]}, ${says}`,
        class: k === asks ? "asking" : "asked",
        tabindex: k === asks ? 0 : -1,
      });
    });
  };
}

// Streams, bars and numbers; they are brought up to date for who asks and where the output begins.
function drawBars({svg, tokens, middle, base, wide}) {
  const stream = {class: "stream", fill: "var(--value)", "fill-opacity": 0.85};
  const bar = {width: BAR, fill: "var(--weight)"};
  const streams = tokens.map(() => add(svg, "path", stream));
  const bars = tokens.map((_, j) => add(svg, "rect", {...bar, x: middle(j) - BAR / 2}));
  const line = (offset, kind) =>
    tokens.map((_, j) => add(svg, "text", {class: kind, x: middle(j), y: base + offset}));
  const above = line(ABOVE, "m big");
  const below = line(BELOW, "m");
  const kind = wide ? null : "s";
  add(svg, "text", {y: base + ABOVE, class: kind}, "weight");
  add(svg, "text", {y: base + BELOW, class: kind}, "score");

  return ({weights, scores, visible}, asks, mouth, open) => {
    const most = Math.min(STREAM, mouth.width);
    let used = mouth.middle - most / 2;
    weights[asks].forEach((weight, k) => {
      const height = open.weights * (base - 90) * weight;
      const top = base - height;
      const half = Math.min(BAR, most * weight) / 2;
      const foot = [middle(k) - half, middle(k) + half];
      const end = [used, used + most * weight];
      used = end[1];
      const d = k < open.values ? ribbon(foot, top, end, MOUTH + 1) : ribbon(foot, top, foot, top);
      set(streams[k], {...shown(weight >= FAINT && (k < open.values || open.weights)), d});
      set(bars[k], {y: top, height});
      set(above[k], seen(open.weights), short(weight));
      const visibly = visible[asks][k];
      const faint = visibly ? null : 0.72;
      const told = k < open.scores;
      const score = visibly ? short(scores[asks][k]) : "hidden";
      set(below[k], {...seen(told), ...(told && {opacity: faint})}, score);
    });
  };
}

// Two curves, filled: no wider than its bar at its foot, and as wide as its weight where it ends.
function ribbon([left, right], low, [from, to], high) {
  const bend = (low + high) / 2;
  const up = `M${left},${low}C${left},${bend} ${from},${bend} ${from},${high}`;
  return `${up}L${to},${high}C${to},${bend} ${right},${bend} ${right},${low}Z`;
}

// From the word that asks to all whom it has asked; in the story the question is on its way.
function drawRail({svg, tokens, middle, base}) {
  const line = {fill: "var(--query)", height: 3, rx: 1.5};
  const rail = add(svg, "rect", {...line, y: base + RAIL});
  const stub = add(svg, "rect", {...line, y: base + WORD.top + WORD.height, width: 3});
  set(stub, {height: RAIL - WORD.top - WORD.height + 2});
  const tips = tokens.map((_, j) => {
    const tip = add(svg, "path", {fill: "var(--query)", d: "M-6,0H6L0,8Z"});
    return put(tip, middle(j), base + RAIL + 1);
  });
  const question = add(svg, "g");
  add(question, "circle", {r: 9, fill: "var(--query)"});
  add(question, "text", {class: "m b", y: 5, fill: "#111", style: "fill:#111"}, "?");
  return ({asks, told}, open) => {
    const last = open.scores - 1;
    const from = Math.min(asks, last < 0 ? asks : 0);
    const to = Math.max(asks, last);
    set(rail, {x: middle(from) - 1.5, width: middle(to) - middle(from) + 3});
    set(stub, {x: middle(asks) - 1.5});
    tips.forEach((tip, k) => set(tip, seen(k <= last)));
    set(question, seen(told && told[0] < 2));
    put(question, middle(last < 0 ? asks : last), base + RAIL + 1);
  };
}

function drawWords({svg, tokens, step, middle, base}, choose) {
  const [size, letter] = step >= 80 ? [17, 11.5] : step >= 56 ? [14, 8] : [12, 7]; // and its width
  const letters = Math.max(3, Math.floor((step - 4) / letter));
  const build = (cell, _, j) => {
    const at = {x: middle(j) - step / 2 + 2, width: step - 4, rx: 6};
    const box = {...at, y: base + WORD.top, height: WORD.height};
    const text = {class: "m b", x: middle(j), y: base + 43, style: `font-size:${size}px`};
    add(cell, "rect", {...box, class: "word"});
    add(cell, "text", text, cut(tokens[j], letters));
    add(cell, "rect", {...box, class: "ring"});
  };
  return grid(svg, "tokens: which one is the query?", [tokens.length], build, choose)[0];
}

// What comes out, over the word that asks. Its update says where its middle is, and how wide it is.
function drawOutput({svg, tokens, middle, width, left}, count) {
  const roomy = width >= ROOMY;
  const beside = roomy ? 170 : 76; // the caption
  const out = Math.min(OUT, (width - beside) / count);
  const row = add(svg, "g");
  const size = count * out;
  const box = {y: 4, width: out - 2, height: 24, rx: 3, fill: "var(--output)", "fill-opacity": 0.3};
  const kind = {class: out < OUT ? "n b s" : "n big", y: 21};
  const numbers = Array.from({length: count}, (_, c) => {
    add(row, "rect", {...box, x: c * out});
    return add(row, "text", {...kind, x: (c + 1) * out - 6});
  });
  const around = {x: -2, y: 2, width: size + 2, height: 28, rx: 4, stroke: "var(--output)"};
  add(row, "rect", {...around, class: "mark"});
  const caption = add(row, "text", {y: 21});
  const meaning = roomy ? "band: a value, its end as wide as its weight" : "width = weight";
  const legend = add(svg, "text", {y: 21, class: "s"}, meaning);

  return (asks, output, open) => {
    const at = clamp(middle(asks) - size / 2, left, width - size - 2); // and its border
    const captionRight = at + size / 2 < width / 2;
    const x = captionRight ? Math.min(at, width - size - beside) : Math.max(at, beside);
    put(row, x, 0);
    numbers.forEach((node, c) => set(node, seen(open.output), short(output[c])));
    const place = captionRight ? {x: size + 8, class: null} : {x: -8, class: "e"};
    const before = x - (captionRight ? 0 : beside);
    const after = width - x - size - (captionRight ? beside : 0);
    const far = before > after ? {x: 0, class: "s"} : {x: width, class: "n s"};
    set(legend, {...far, ...shown(Math.max(before, after) > (roomy ? 300 : 92))});
    set(caption, place, roomy ? `output of ${tokens[asks]}` : "output");
    return {middle: x + size / 2, width: size};
  };
}
