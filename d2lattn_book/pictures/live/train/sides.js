// The queries, keys and values of the chosen head: a row for each word, where the curves stand
// otherwise. What is positive stands above the middle of its row, what is negative below.
import {grid, rest} from "../kit/cells.js";
import {alter} from "../kit/figure.js";
import {paint, rgb} from "../kit/map.js";
import {add, lay, set, shown} from "../kit/nodes.js";
import {cut, show} from "../kit/numbers.js";
import {SIDES} from "./state.js";

const TOP = 42; // the names of the sides, and whose they are
const FOOT = 20; // what the largest number is
const GAP = 12; // between sides
const WORDS = 52; // to the left, where the words are written
const LETTERS = 7; // of a word
const ROW = 24; // at most
const NAMED = 12; // a row of so many pixels has room for its word,
const THIN = 10; // and a lower one for shades in place of bars

export function drawSides({svg, width, height}, {box, size}, figure, {words}) {
  const {length} = words;
  const row = Math.min(ROW, (height - TOP - FOOT) / length);
  const left = row < NAMED ? 0 : WORDS;
  const wide = (width - left - 2 * GAP) / SIDES.length;
  const across = c => left + c * (wide + GAP);
  const whose = add(svg, "text", {class: "s", y: 36});
  const most = SIDES.map(({name, role}, c) => {
    add(svg, "text", {class: "b", x: across(c), y: 14}, name);
    add(svg, "path", {d: `M${across(c)},19h${wide}`, stroke: `var(--${role})`, "stroke-width": 3});
    return add(svg, "text", {class: "t", x: across(c), y: TOP + length * row + 16});
  });
  const names = words.map((_, i) => {
    const at = {x: left - 6, y: TOP + (i + 0.5) * row + 4};
    return left ? add(svg, "text", {class: "e t", ...at}) : null;
  });
  const canvases = SIDES.map((_, c) => {
    const canvas = add(box, "canvas", {"aria-hidden": "true"});
    box.prepend(canvas); // under the drawing, which is what a hand touches
    lay(canvas, {x: across(c), y: TOP, width: wide, height: length * row}, size);
    return canvas;
  });
  const build = (cell, i, c) => {
    const at = {x: across(c), y: TOP + i * row, width: wide, height: row};
    const middle = `M${at.x},${at.y + row / 2}h${wide}`;
    add(cell, "rect", {...at, fill: "transparent"}); // to be touched anywhere
    add(cell, "path", {d: middle, stroke: "currentColor", "stroke-opacity": 0.25});
    add(cell, "path", {fill: `var(--${SIDES[c].role})`});
    add(cell, "rect", {...at, class: "mark", stroke: `var(--${SIDES[c].role})`, rx: 3});
    add(cell, "rect", {...at, class: "ring", rx: 3});
  };
  const lengths = Array(length).fill(SIDES.length);
  const choose = asks => figure.act(alter, {asks});
  const cells = grid(svg, "queries, keys and values", lengths, build, choose);

  return (state, {models, words: read}) => {
    const model = models[state.model];
    const name = state.change ? `model ${state.model + 1}: ` : "";
    const at = `${name}layer ${model.at[0]}, head ${model.at[1]}`;
    set(whose, {}, cut(`${at}; untick for the loss`, Math.floor(width / 7)));
    names.forEach((text, i) => text && set(text, {}, cut(read[i], LETTERS)));
    SIDES.forEach(({key, one, role}, c) => {
      const rows = model.sides[key];
      const largest = Math.max(...rows.flat().map(Math.abs)) || 1;
      set(most[c], {}, `largest ${show(largest, 1)}`);
      if (row < THIN) shade(canvases[c], rows, largest, rgb(figure.data.roles[role]));
      rows.forEach((values, i) => {
        const cell = cells[i][c];
        const [, , bars, frame] = cell.children;
        const place = {x: across(c), middle: TOP + (i + 0.5) * row, wide, row};
        if (row >= THIN) set(bars, {d: barsOf(values, largest, place)});
        set(frame, shown(i === (key === "q" ? state.asks : model.best)));
        const numbers = values.map(value => show(value)).join(", ");
        set(cell, {"aria-label": `${one} of ${read[i]}: ${numbers}`});
      });
    });
    rest(cells, state.asks);
  };
}

function barsOf(values, largest, {x, middle, wide, row}) {
  const each = wide / values.length;
  const unit = (row / 2 - 1) / largest;
  const places = values.map((value, c) => [x + c * each, value * unit]);
  const bar = ([from, high]) => `M${from},${middle}v${-high}h${each - 1}v${high}z`;
  return places.map(bar).join("");
}

// Two pixels for each number, one above the other: the upper one has what is positive.
function shade(canvas, rows, largest, colour) {
  const halves = rows.flatMap(values => [1, -1].map(way => values.map(value => way * value)));
  const part = value => Math.max(0, value) / largest;
  paint(canvas, halves.flat(), rows[0].length, () => colour, part);
}
