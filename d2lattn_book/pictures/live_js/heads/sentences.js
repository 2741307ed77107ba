// The sentence twice: who asks above, who is asked below; shares are carried from one to the other.
import {grid} from "../kit/cells.js";
import {alter} from "../kit/figure.js";
import {WIDE, add, set, shown} from "../kit/nodes.js";
import {cut, show} from "../kit/numbers.js";
import {ask, hover} from "./state.js";

export const BESIDE = 680; // the width of a drawing where the map stands beside the sentences
const MAP = 344; // what it takes of a wide drawing,
const SMALLER_MAP = 318; // and of others
const PER_LINE = 10;
const NARROW = 45; // the least room for a word of a single line,
const ROOM = 52; // and of several
const SMALL = 70; // in so much room letters are smaller
const LINE = 26; // the height of a word
const FIRST = 22; // above the words that ask
const ARC = 40; // the width of a share of 1
const THINNEST = 0.8;
const TOLD = 0.05; // a larger share is led on to its word, past the lines above

// Where the words of a sentence stand.
function seats(words, top, room) {
  const n = words.length;
  const per = Math.min(n, perLine(n, room));
  const lines = Math.ceil(n / per);
  const width = room / Math.max(per, 4);
  const lengths = Array.from({length: lines}, (_, i) => Math.min(per, n - i * per));
  const x = k => ((k % per) + 0.5) * width;
  const y = k => top + Math.floor(k / per) * LINE;
  return {words, per, width, lengths, x, y, top, bottom: top + lines * LINE};
}

const roomIn = width => (width < BESIDE ? width : width - (width < WIDE ? SMALLER_MAP : MAP));

const perLine = (n, room) => Math.min(PER_LINE, n * NARROW <= room ? n : Math.floor(room / ROOM));

// Are those who are asked so few that each has its share below it?
export const inOneLine = (keys, width) => keys.length <= perLine(keys.length, roomIn(width));

function placesOf({tokens, keys}, width) {
  const room = roomIn(width);
  const from = seats(tokens, FIRST, room);
  const to = seats(keys, from.bottom + (inOneLine(keys, width) ? 176 : 78), room);
  return {from, to};
}

// How far down all of it reaches.
export const reachOf = (data, width) =>
  placesOf(data, width).to.bottom + (inOneLine(data.keys, width) ? 44 : 20);

export function drawSentences(svg, {data, act, width}) {
  const {tokens, keys} = data;
  const {from, to} = placesOf(data, width);
  const large = inOneLine(keys, width);
  const arcs = drawArcs(svg, keys.length, from, to);
  add(svg, "text", {y: 14, class: "s"}, "who asks");
  const all = {large, leave: () => act(alter, {over: null})};
  const who = drawWords(svg, from, {
    ...all,
    name: "who asks?",
    role: "query",
    over: k => act(hover, k, null),
    pick: k => act(ask, k),
  });
  const caption = "who is asked" + (large ? ", and its share: as wide as its band" : "");
  add(svg, "text", {y: to.bottom + (large ? 36 : 14), class: "s"}, caption);
  const whom = drawWords(svg, to, {
    ...all,
    name: "who is asked?",
    role: "key",
    over: k => act(hover, null, k),
    pick: k => act(alter, {key: k}),
  });
  const under = to.y(0) + LINE + 14;
  const numbers = keys.map((_, k) => add(svg, "text", {class: "m big", x: to.x(k), y: under}));

  return ({least}, {asks, key, shares}) => {
    arcs(asks, shares, least);
    shares.forEach((share, k) => {
      const told = large && share >= least && share > 0;
      set(whom[k].children[1], {"fill-opacity": 0.6 * share});
      set(whom[k].children[2], shown(k === key));
      set(whom[k], {"aria-label": `${keys[k]}: share ${show(share)}`});
      set(numbers[k], {}, told ? show(share) : "");
    });
    who.forEach((cell, k) => {
      set(cell.children[1], {"fill-opacity": k === asks ? 0.4 : 0});
      set(cell.children[2], shown(k === asks));
      set(cell, {
        "aria-label": k === asks ? `${tokens[k]}, asks` : tokens[k],
        tabindex: k === asks ? 0 : -1,
      });
    });
  };
}

// From under the lines of those who ask to over those who are asked, so that no word is covered.
// Where there are several lines, thin ones lead past the words, between two of them.
function drawArcs(svg, count, from, to) {
  const arc = {fill: "none", stroke: "var(--weight)", "stroke-opacity": 0.85};
  const arcs = Array.from({length: count}, () => add(svg, "path", arc));
  const thin = {fill: "none", "stroke-width": 2.5};
  const start = add(svg, "path", {...thin, stroke: "var(--query)"});
  const ends = add(svg, "path", {...thin, stroke: "var(--weight)"});
  const beside = (places, k) => places.x(k) - places.width / 2;
  const far = k => to.y(k) > to.top;
  return (asks, shares, least) => {
    const under = from.y(asks) + LINE - 3;
    const x = under + 4 > from.bottom ? from.x(asks) : beside(from, asks);
    set(start, {d: `M${from.x(asks)},${under}H${x}V${from.bottom}`});
    const seen = shares.map(share => share >= least && share > 0);
    shares.forEach((share, k) => {
      const d = arcPath(x, from.bottom - 1, to.x(k), to.top - (to.lengths.length > 1 ? 4 : 0));
      set(arcs[k], {...shown(seen[k]), "stroke-width": Math.max(THINNEST, ARC * share), d});
    });
    const led = shares.map((share, k) => (far(k) && seen[k] && share >= TOLD ? k : -1));
    const lines = led
      .filter(k => k >= 0)
      .map(k => `M${beside(to, k)},${to.top - 4}V${to.y(k) + 20}`);
    set(ends, {d: lines.join("") || "M0,0"});
  };
}

function arcPath(x, y, toX, toY) {
  const middle = (y + toY) / 2;
  return `M${x},${y}C${x},${middle} ${toX},${middle} ${toX},${toY}`;
}

// The cells of a sentence: a box, a tint, a frame in the colour of the role, the word.
function drawWords(svg, places, {name, role, large, over, leave, pick}) {
  const {words, per, width} = places;
  const small = width < SMALL;
  const letters = Math.max(3, Math.floor((width - 4) / (small ? 6.8 : 9)));
  const mark = {fill: "none", "stroke-width": 2.5, stroke: `var(--${role})`, visibility: "hidden"};
  const tint = role === "query" ? role : "weight";
  const build = (cell, i, j) => {
    const k = i * per + j;
    const [x, y] = [places.x(k), places.y(k)];
    const at = {x: x - width / 2 + 1.5, y, width: width - 3, height: LINE - 4, rx: 5};
    add(cell, "rect", {...at, class: "box"});
    add(cell, "rect", {...at, fill: `var(--${tint})`, "fill-opacity": 0});
    add(cell, "rect", {...at, ...mark});
    add(
      cell,
      "text",
      {x, y: y + 17, class: !large ? "m t" : small ? "m w" : "m b"},
      cut(words[k], letters),
    );
    add(cell, "rect", {...at, class: "ring"});
    cell.addEventListener("pointerenter", () => over(k));
    cell.addEventListener("pointerleave", leave);
  };
  return grid(svg, name, places.lengths, build, (i, j) => pick(i * per + j)).flat();
}
