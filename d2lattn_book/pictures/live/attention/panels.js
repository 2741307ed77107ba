// The same for every word: one panel for each matrix, wrapped to the width of the page.
import {editable, panel, rest} from "../kit/cells.js";
import {add, set} from "../kit/nodes.js";
import {cut, short} from "../kit/numbers.js";
import {alter} from "../kit/figure.js";
import {ROWS_ASK, THOUGHTS, pick, write} from "./state.js";
import {LEFT} from "./story.js";

const cellOf = ({deck}) => (deck ? 47 : 42); // the width of a number, which is larger on a slide
const SPACE = 12; // between panels
const lineOf = width => (width < 400 ? 26 : 22); // a line of numbers; on a telephone a finger hits it
const GAP = 132; // between the bars and the panels
const BETWEEN = 42; // between lines of panels, for a title and the words above columns

// The narrowest drawing: the widest line of panels that stay side by side.
export const leastOf = data => LEFT + Math.max(data.x.length, data.x[0].length) * cellOf(data) + 8;

// What there is to show, in reading order.
function wanted({x, tokens}) {
  const n = tokens.length;
  const dims = x[0].length;
  const row = {rows: n, columns: dims};
  const square = {rows: n, columns: n, labels: tokens};
  return [
    {...row, kind: "x", title: "tokens x"},
    {...square, kind: "score", title: "scores"},
    {...square, kind: "weight", title: n > 2 ? "attention weights" : "weights"},
    {...row, kind: "output", title: "output"},
  ];
}

// Where each of them stands; the first of a line has the words beside it.
function arrange(data, {width, base}) {
  const cell = cellOf(data);
  let x = LEFT;
  let y = base + GAP;
  let bottom = y;
  return wanted(data).map(one => {
    if (x + one.columns * cell > width) [x, y] = [LEFT, bottom + BETWEEN];
    const placed = {...one, x, y, cell, line: lineOf(width), names: x === LEFT};
    x += one.columns * cell + SPACE;
    bottom = Math.max(bottom, y + one.rows * placed.line);
    return placed;
  });
}

export function drawPanels(svg, figure, room) {
  const {tokens} = figure.data;
  const panels = {};
  const groups = {};
  for (const place of arrange(figure.data, room)) {
    const group = (groups[place.kind] = add(svg, "g"));
    drawTitles(group, place, tokens);
    panels[place.kind] = drawNumbers(svg, group, place, figure);
  }
  const bottom = Math.max(...Object.values(panels).map(one => one.bottom));
  const update = (state, now) => {
    const look = looks(tokens, now);
    for (const kind in panels) {
      panels[kind].update(now.panels[kind], look(kind));
      if (ROWS_ASK.includes(kind)) rest(panels[kind].cells, state.asks);
      set(groups[kind], {opacity: tooEarly(kind, state) ? 0.12 : null});
    }
    outline(panels, state);
  };
  return {bottom, update};
}

// Does the story come to these numbers only later?
function tooEarly(kind, {told}) {
  const thought = {score: "scores", weight: "weights", output: "output"}[kind];
  return thought && told && told[0] < THOUGHTS.indexOf(thought);
}

function drawTitles(svg, {title, x, y, cell, line, labels, names}, tokens) {
  add(svg, "text", {class: "b", x, y: y - (labels ? 24 : 7)}, title);
  labels?.forEach((word, j) => {
    add(svg, "text", {class: "m t", x: x + (j + 0.5) * cell - 1, y: y - 6}, cut(word, 6));
  });
  if (!names) return;
  tokens.forEach((word, i) => {
    const at = {x: x - 6, y: y + (i + 0.5) * line + 3.5};
    add(svg, "text", {...at, class: "n s"}, cut(word, 7));
  });
}

function drawNumbers(svg, group, place, figure) {
  const {kind, title, x, y, cell, line, rows, columns} = place;
  const edit = kind === "x";
  const size = {x, y, rows, columns, width: cell, height: line, pad: 3};
  const choose = (i, j) => figure.act(pick, kind, i, j);
  const over = at => figure.act(alter, {over: at && [kind, ...at]});
  const what = {name: title, pick: choose, over, edit: () => edit, write: short};
  const drawn = panel(group, {...size, ...what});
  if (edit) {
    const get = (i, j) => figure.state.x[i][j];
    const change = (i, j, value) => figure.act(write, [kind, i, j], value);
    editable(svg, drawn.cells, figure, get, change);
  }
  return drawn;
}

// How a number looks and what it is called: a function of its kind, then of value and place.
function looks(tokens, {visible}) {
  const score = (value, i, j) => {
    const name = `score of query ${tokens[i]} with key ${tokens[j]}`;
    if (visible[i][j]) return {label: `${name}: ${short(value)}`};
    return {text: "−∞", fade: true, label: `${name}: −∞, hidden`};
  };
  const weight = (value, i, j) => {
    const label = `weight of query ${tokens[i]} on key ${tokens[j]}: ${short(value)}`;
    return {tint: "weight", opacity: 0.6 * value, fade: !visible[i][j], label};
  };
  const row = kind => (value, i, j) => {
    const label = `${kind} of ${tokens[i]}, channel ${j + 1}: ${short(value)}`;
    return {tint: kind, opacity: kind === "x" ? 0 : 0.12, label};
  };
  return kind => ({score, weight})[kind] ?? row(kind);
}

// The path of the asking row, and of the key whose number is chosen.
function outline({x, score, weight, output}, {asks, at: [kind, , j]}) {
  const pair = kind === "score" || kind === "weight";
  x.outline("query", asks);
  x.outline("key", pair ? j : undefined);
  score.outline("query", asks);
  weight.outline("weight", asks);
  for (const one of [score, weight]) one.outline("key", ...(pair ? [asks, j, 1, 1] : []));
  output.outline("output", asks);
}
