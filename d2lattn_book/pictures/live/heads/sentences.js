// The tokens twice: queries above, keys below. Bands lead from the query that is chosen to its keys,
// as wide as the attention weights.
import {grid} from "../kit/cells.js";
import {alter} from "../kit/figure.js";
import {WIDE, add, set, shown} from "../kit/nodes.js";
import {cut, show} from "../kit/numbers.js";
import {reach} from "./patches.js";
import {ask, hover} from "./state.js";

export const BESIDE = 680; // the width of a drawing where the map stands beside the tokens
const MAP = 318; // what it takes there,
const NAMED_MAP = 344; // and with names, of a wide drawing,
const SMALL_MAP = 252; // or without, on a slide
const NAMED = 20; // at most so many tokens are written beside it; on a slide fewer
const PER_LINE = 10;
const NARROW = 45; // the least room for a token of a single line,
const ROOM = 56; // and of several
const SMALL = 70; // in so much room letters are smaller
const BETWEEN = 4; // two lines
const TELEPHONE = 400; // a narrower drawing is hit by fingers: its tokens are higher
const FIRST = 22; // above the queries
const THINNEST = 0.8;
// Of one line of tokens and of several: the room to the left of a token, between queries and keys,
// and the width of a band for a weight of 1.
const SINGLE = {gap: 3, apart: 176, band: 40};
const SEVERAL = {gap: 8, apart: 70, band: 6};

export const hasNames = ({tokens, keys, deck}) =>
  Math.max(tokens.length, keys.length) <= (deck ? 8 : NAMED);

function roomIn(data, width) {
  if (width < BESIDE) return width;
  if (hasNames(data)) return width - (width < WIDE ? MAP : NAMED_MAP);
  return width - (data.deck ? SMALL_MAP : MAP);
}

const fits = (tokens, room) => tokens.length * NARROW <= room;

// Are the keys so few that each has its weight below it?
export const inOneLine = (data, width) => fits(data.keys, roomIn(data, width));

// Where tokens stand: in one line, or in several of nearly equal lengths.
function seats(tokens, top, room, {gap, high}) {
  const n = tokens.length;
  const most = Math.min(PER_LINE, Math.floor(room / ROOM));
  const per = fits(tokens, room) ? n : Math.ceil(n / Math.ceil(n / most));
  const lines = Math.ceil(n / per);
  const column = room / Math.max(per, 4);
  const lengths = Array.from({length: lines}, (_, i) => Math.min(per, n - i * per));
  const left = k => (k % per) * column + gap;
  const y = k => top + Math.floor(k / per) * (high + BETWEEN);
  const places = {tokens, per, lengths, left, y, top, gap, high, wide: column - gap};
  return {...places, middle: k => left(k) + places.wide / 2, bottom: y(n - 1) + high + BETWEEN};
}

function placesOf(data, width) {
  const {tokens, keys} = data;
  const room = roomIn(data, width);
  const looks = fits(tokens, room) && fits(keys, room) ? SINGLE : SEVERAL;
  const sizes = {...looks, high: width < TELEPHONE ? 32 : 22};
  const from = seats(tokens, FIRST, room, sizes);
  return {from, to: seats(keys, from.bottom + sizes.apart, room, sizes), sizes};
}

// How far down all of it reaches.
export const reachOf = (data, width) =>
  data.image
    ? reach(data, width)
    : placesOf(data, width).to.bottom + (inOneLine(data, width) ? 44 : 20);

export function drawSentences(svg, {data, act, width}) {
  const {tokens, keys} = data;
  const {from, to, sizes} = placesOf(data, width);
  const large = inOneLine(data, width);
  const bands = drawBands(svg, data, width, sizes);
  add(svg, "text", {y: 14, class: "s"}, "query");
  const who = drawTokens(svg, from, act, {
    role: "query",
    over: k => act(hover, k, null),
    pick: k => act(ask, k),
  });
  const caption = `keys, ${large ? "each with" : "each tinted by"} its attention weight`;
  add(svg, "text", {y: to.bottom + (large ? 36 : 14), class: "s"}, caption);
  const whom = drawTokens(svg, to, act, {
    role: "key",
    over: k => act(hover, null, k),
    pick: k => act(alter, {key: k, over: null}),
  });
  const under = to.y(0) + to.high + 18;
  const numbers = keys.map((_, k) => add(svg, "text", {class: "m big", x: to.middle(k), y: under}));

  return ({least}, {asks, key, weights}) => {
    bands(asks, weights, least);
    weights.forEach((weight, k) => {
      const told = large && weight >= least && weight > 0;
      set(whom[k].children[1], {"fill-opacity": 0.6 * (large ? weight : Math.sqrt(weight))});
      set(whom[k].children[2], shown(k === key));
      set(whom[k], {"aria-label": `${keys[k]}: attention weight ${show(weight)}`});
      set(numbers[k], {}, told ? show(weight) : "");
    });
    who.forEach((cell, k) => {
      set(cell.children[1], {"fill-opacity": k === asks ? 0.4 : 0});
      set(cell.children[2], shown(k === asks));
      set(cell, {
        "aria-label": k === asks ? `${tokens[k]}, the query` : tokens[k],
        tabindex: k === asks ? 0 : -1,
      });
    });
  };
}

// No token is covered: bands are thin where there are several lines.
function drawBands(svg, data, width, {band}) {
  const looks = {fill: "none", stroke: "var(--weight)", "stroke-opacity": 0.85};
  const bands = data.keys.map(() => add(svg, "path", looks));
  return (asks, weights, least) =>
    bandsOf(data, width, asks).forEach((d, k) => {
      const seen = shown(weights[k] >= least && weights[k] > 0);
      set(bands[k], {...seen, "stroke-width": Math.max(THINNEST, band * weights[k]), d});
    });
}

// From a query a path to each key.
export function bandsOf(data, width, i) {
  const {from, to} = placesOf(data, width);
  const path = from.lengths.length + to.lengths.length > 2 ? lanePath : arcPath;
  return data.keys.map((_, j) => path(from, i, to, j));
}

// From below a query to above a key.
function arcPath(from, i, to, j) {
  const [x, toX] = [from.middle(i), to.middle(j)];
  const middle = (from.bottom + to.top) / 2;
  return `M${x},${from.bottom - 1}C${x},${middle} ${toX},${middle} ${toX},${to.top}`;
}

// From the left side of a query down beside its column, over to the column of a key, and down to the
// line of this key, into its left side.
function lanePath(from, i, to, j) {
  const lane = (places, k) => places.left(k) - places.gap / 2;
  const [x, toX] = [lane(from, i), lane(to, j)];
  const [y, toY] = [from.y(i) + from.high / 2, to.y(j) + to.high / 2];
  const middle = (from.bottom + to.top) / 2;
  const start = `M${from.left(i)},${y}Q${x},${y} ${x},${y + 6}V${from.bottom}`;
  const over = `C${x},${middle} ${toX},${middle} ${toX},${to.top - 4}`;
  return `${start}${over}V${toY - 6}Q${toX},${toY} ${to.left(j)},${toY}`;
}

// The cells of a sentence: a box, a tint, a frame in the colour of the role, the token.
function drawTokens(svg, places, act, {role, over, pick}) {
  const {tokens, per, wide} = places;
  const small = wide < SMALL;
  const letters = Math.max(3, Math.floor(wide / (small ? 6.8 : 9)));
  const mark = {fill: "none", "stroke-width": 2.5, stroke: `var(--${role})`, visibility: "hidden"};
  const tint = role === "query" ? role : "weight";
  const build = (cell, i, j) => {
    const k = i * per + j;
    const [x, y] = [places.middle(k), places.y(k)];
    const at = {x: places.left(k), y, width: wide, height: places.high, rx: 5};
    add(cell, "rect", {...at, class: "box"});
    add(cell, "rect", {...at, fill: `var(--${tint})`, "fill-opacity": 0});
    add(cell, "rect", {...at, ...mark});
    const text = {x, y: y + places.high / 2 + 6, class: small ? "m t" : "m b"};
    add(cell, "text", text, cut(tokens[k], letters));
    add(cell, "rect", {...at, class: "ring"});
    cell.addEventListener("pointermove", () => over(k)); // by a hand, not by the page
    cell.addEventListener("pointerleave", () => act(alter, {over: null}));
  };
  return grid(svg, role, places.lengths, build, (i, j) => pick(i * per + j)).flat();
}
