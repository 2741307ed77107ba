// The large map, and where the tokens are too many for numbers, the largest weights of the query.
import {alter} from "../kit/figure.js";
import {nameMap} from "../kit/map.js";
import {WIDE, add, set, shown, within} from "../kit/nodes.js";
import {clamp, cut, show} from "../kit/numbers.js";
import {BESIDE, hasNames, inOneLine, reachOf} from "./sentences.js";
import {hover} from "./state.js";

const WRITTEN = 9; // at most so many rows of numbers are written into the map
const BEST = 4; // largest weights that are listed
const ROW = 23; // of that list
const LONGEST = 120; // the bar of a weight of 1 in it

// Beside the tokens, or under them. Names need room above, most if upright, and to the right.
export function placeOf(data, width) {
  const named = hasNames(data);
  const size = !named && !data.deck ? 300 : width < WIDE ? 224 : 236;
  const above = !named ? 24 : data.keys.length > 11 ? 69 : 62;
  const beside = width >= BESIDE;
  const x = beside ? width - size - (named ? 32 : 2) : named ? 72 : 2;
  const y = above + (beside ? 0 : reachOf(data, width));
  return {x, y, width: size, height: size, named};
}

export function drawMap(svg, figure, place) {
  const {shape, tokens, keys} = figure.data;
  const [, , L, S] = shape;
  const {x, y, width: size} = place;
  const cell = {width: size / S, height: size / L};
  const middle = (i, j) => ({x: x + (j + 0.5) * cell.width, y: y + (i + 0.5) * cell.height});
  const room = {svg, place, cell, middle, tokens, keys};
  drawNames(room);
  const square = {x, y, width: size, height: size};
  add(svg, "rect", {...square, fill: "none", stroke: "currentColor", "stroke-opacity": 0.4});
  const write = drawNumbers(room, figure.data.weights);
  const lying = {class: "mark", stroke: "var(--query)", x: x - 1, width: size + 2};
  const standing = {class: "mark", stroke: "var(--key)", y: y - 1, height: size + 2};
  const row = add(svg, "rect", {...lying, height: cell.height});
  const column = add(svg, "rect", {...standing, width: cell.width});
  listen(add(svg, "rect", {...square, fill: "transparent"}), room, figure.act);
  const list = drawList(room, inOneLine(figure.data, figure.width));
  const update = now => {
    set(row, {y: y + now.asks * cell.height});
    set(column, shown(now.key !== null));
    if (now.key !== null) set(column, {x: x + now.key * cell.width});
    list.update(now);
  };
  return {write, update, bottom: list.bottom};
}

function drawNames({svg, place: {x, y, named}, cell, tokens, keys}) {
  const size = clamp(Math.min(cell.width, cell.height), 11, 13);
  if (named) nameMap(svg, {x, y, cell, rows: tokens, columns: keys, size});
  else add(svg, "text", {class: "s", x, y: y - 8}, "query ↓   key →");
}

function drawNumbers({svg, cell, middle, tokens, keys}, weights) {
  if (tokens.length > WRITTEN || keys.length > WRITTEN) return () => {};
  const style = `font-size:${clamp(0.38 * cell.width, 11, 14)}px`;
  const numbers = tokens.flatMap((_, i) =>
    keys.map((_, j) => {
      const at = middle(i, j);
      return add(svg, "text", {class: "m", style, x: at.x, y: at.y + 4});
    }),
  );
  const seen = numbers.map((_, k) => weights.some((one, n) => one && n % numbers.length === k));
  return map => numbers.forEach((node, k) => set(node, {}, seen[k] ? show(map[k]) : "–"));
}

// A pointer over the map tells the weight that it is over, a click picks it.
function listen(glass, {svg, place: {x, y}, cell, tokens, keys}, act) {
  const under = event => {
    const [right, down] = within(svg, event);
    const i = clamp(Math.floor((down - y) / cell.height), 0, tokens.length - 1);
    const j = clamp(Math.floor((right - x) / cell.width), 0, keys.length - 1);
    return [i, j];
  };
  glass.addEventListener("pointermove", event => act(hover, ...under(event)));
  glass.addEventListener("pointerleave", () => act(alter, {over: null}));
  glass.addEventListener("click", event => {
    const [asks, key] = under(event);
    act(alter, {asks, key});
  });
}

function drawList({svg, place, tokens, keys}, large) {
  const listed = large ? 0 : Math.min(BEST, keys.length);
  const top = place.y + place.height + 24;
  const left = place.x + 90;
  const title = add(svg, "text", {class: "b", x: place.x, y: top, ...shown(listed)});
  const rows = Array.from({length: listed}, (_, r) => {
    const y = top + 10 + ROW * r;
    const name = add(svg, "text", {class: "e", x: left - 8, y: y + 15});
    const bar = add(svg, "rect", {x: left, y, height: 20, rx: 3, fill: "var(--weight)"});
    return [name, bar, add(svg, "text", {y: y + 15})];
  });
  const update = ({asks, weights, order}) => {
    set(title, {}, `${cut(tokens[asks], 9)} (position ${asks}) attends to`);
    rows.forEach(([name, bar, number], r) => {
      const width = LONGEST * weights[order[r]];
      set(name, {}, cut(keys[order[r]], 9));
      set(bar, {width});
      set(number, {x: left + width + 6}, show(weights[order[r]]));
    });
  };
  return {update, bottom: top - 26 + (listed ? 30 + ROW * listed : 4)};
}
