// The sentence: every word's score below it, its share above, its value flowing into the blend.
import {grid} from "../kit/cells.js";
import {add, set, shown} from "../kit/nodes.js";
import {clamp, cut, short, show} from "../kit/numbers.js";
import {pick} from "./state.js";

export const LEFT = 62; // of the first word, and of the first panel
const WIDEST = 150; // of the room for a word
const LETTER = 11.5; // the width of a letter in it
const ABOVE = 17; // the line of shares, below the base of the bars
const BELOW = 67; // the line of scores
const BAR = 34;
const STREAM = 68; // a value of share 1, as wide as all that flows into the blend
const MOUTH = 30; // where the streams end, under the blend
const OUT = 54; // a number that comes out
const FAINT = 0.004; // a stream of a smaller share is not drawn

export function drawStory(svg, {data, act}, {width, base}) {
  const {tokens} = data;
  const step = Math.min(WIDEST, (width - LEFT) / tokens.length);
  const middle = j => LEFT + (j + 0.5) * step;
  const room = {svg, tokens, step, middle, base, width};
  const bars = drawBars(room);
  const words = drawWords(room, (_, j) => act(pick, "word", j, 0));
  const blend = drawBlend(room, (data.projections ? data.projections[2] : data.x[0]).length);
  return ({asks}, now) => {
    const mouth = blend(asks, now.output[asks]);
    bars(now, asks, mouth);
    words.forEach((cell, k) => {
      const says = k === asks ? "asks" : `share ${show(now.shares[asks][k])}`;
      set(cell.children[1], shown(k === asks));
      set(cell, {"aria-label": `${tokens[k]}, ${says}`});
    });
  };
}

// Streams, bars and numbers; they are brought up to date for who asks and where the blend begins.
function drawBars({svg, tokens, middle, base}) {
  const stream = {fill: "none", stroke: "var(--value)", "stroke-opacity": 0.85};
  const bar = {width: BAR, fill: "var(--weight)"};
  const streams = tokens.map(() => add(svg, "path", stream));
  const bars = tokens.map((_, j) => add(svg, "rect", {...bar, x: middle(j) - BAR / 2}));
  const line = (offset, kind) =>
    tokens.map((_, j) => add(svg, "text", {class: kind, x: middle(j), y: base + offset}));
  const above = line(ABOVE, "m big");
  const below = line(BELOW, "m");
  add(svg, "text", {y: base + ABOVE}, "share");
  add(svg, "text", {y: base + BELOW}, "score");

  return ({shares, scores, visible}, asks, mouth) => {
    let used = mouth - STREAM / 2;
    shares[asks].forEach((share, k) => {
      const height = (base - 80) * share;
      const top = base - height;
      const end = used + (STREAM / 2) * share;
      const bend = (top + MOUTH) / 2;
      const path = `M${middle(k)},${top}C${middle(k)},${bend} ${end},${bend} ${end},${MOUTH + 1}`;
      used += STREAM * share;
      set(streams[k], {...shown(share >= FAINT), "stroke-width": STREAM * share, d: path});
      set(bars[k], {y: top, height});
      set(above[k], {}, short(share));
      const seen = visible[asks][k];
      set(below[k], {opacity: seen ? null : 0.72}, seen ? short(scores[asks][k]) : "hidden");
    });
  };
}

function drawWords({svg, tokens, step, middle, base}, choose) {
  const letters = Math.max(3, Math.floor((step - 8) / LETTER));
  const asks = {fill: "none", "stroke-width": 2.5, stroke: "var(--query)"};
  const build = (cell, _, j) => {
    const at = {x: middle(j) - step / 2 + 3, y: base + 24, width: step - 6, height: 27, rx: 6};
    const text = {class: "m b", x: middle(j), y: base + 43, style: "font-size:17px"};
    add(cell, "rect", {...at, class: "box"});
    add(cell, "rect", {...at, ...asks});
    add(cell, "text", text, cut(tokens[j], letters));
    add(cell, "rect", {...at, class: "ring"});
  };
  return grid(svg, "the sentence: who asks?", [tokens.length], build, choose)[0];
}

// What comes out, over the word that asks. Its update says where its middle is.
function drawBlend({svg, tokens, middle, width}, count) {
  const blend = add(svg, "g");
  const wide = count * OUT;
  const box = {y: 4, width: OUT - 2, height: 24, rx: 3, fill: "var(--output)", "fill-opacity": 0.3};
  const numbers = Array.from({length: count}, (_, c) => {
    add(blend, "rect", {...box, x: c * OUT});
    return add(blend, "text", {class: "n big", x: c * OUT + OUT - 6, y: 21});
  });
  const around = {x: -2, y: 2, width: wide + 2, height: 28, rx: 4, stroke: "var(--output)"};
  add(blend, "rect", {...around, class: "mark"});
  const caption = add(blend, "text", {y: 21});

  return (asks, output) => {
    const left = clamp(middle(asks) - wide / 2, LEFT, width - wide);
    const captionRight = left + wide / 2 < width / 2;
    set(blend, {transform: `translate(${left},0)`});
    numbers.forEach((node, c) => set(node, {}, short(output[c])));
    const place = captionRight
      ? {x: wide + 8, "text-anchor": "start"}
      : {x: -8, "text-anchor": "end"};
    set(caption, place, `what comes out for ${tokens[asks]}`);
    return left + wide / 2;
  };
}
