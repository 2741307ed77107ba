// The same for every word: one panel for each matrix, wrapped to the width of the page.
import {editable, panel, rest} from "../kit/cells.js";
import {add, set} from "../kit/nodes.js";
import {cut, short} from "../kit/numbers.js";
import {matrix} from "./explain.js";
import {alter} from "../kit/figure.js";
import {PROJECTED, ROWS_ASK, THOUGHTS, isInput, isMatrix, pick, read, write} from "./state.js";
import {LEFT} from "./story.js";

const CELL = 42; // the width of a number
const SPACE = 12; // between panels
const NEAR = 8; // between a matrix and what comes out of it
const BETWEEN = 42; // between lines of panels, for a title and the words above columns

// The narrowest drawing: the widest line of panels that stay side by side.
export function leastOf({x, projections}) {
  const pair = projections ? 2 * Math.max(...projections.map(W => W.length)) : 0;
  return LEFT + Math.max(x.length, x[0].length, pair) * CELL + NEAR;
}

// What there is to show, in reading order. `room` is how many columns must fit into the line, or
// the panel begins another; `breaks` makes it begin one; `named` has words where it begins one.
function wanted({x, tokens, projections}) {
  const n = tokens.length;
  const dims = x[0].length;
  const outs = (projections ? projections[2] : x[0]).length;
  const list = [{kind: "x", title: "tokens x", rows: n, columns: dims, named: true}];
  projections?.forEach(({length: columns}, k) => {
    list.push({kind: `W${k}`, title: matrix(k), rows: dims, columns, room: 2 * columns});
    list.push({kind: PROJECTED[k], title: ["queries", "keys", "values"][k], rows: n, columns});
  });
  const square = {rows: n, columns: n, room: n, labels: tokens, named: true};
  list.push({...square, kind: "score", title: "scores", breaks: Boolean(projections)});
  list.push({...square, kind: "weight", title: n > 2 ? "attention weights" : "weights"});
  list.push({kind: "output", title: "output", rows: n, columns: outs, room: outs, named: true});
  return list;
}

// Where each of them stands.
function arrange(list, {width, line, base, gap}) {
  let x = LEFT;
  let y = base + gap;
  let bottom = y;
  return list.map(({room = 0, breaks = false, named = false, ...one}) => {
    if (breaks || x + Math.max(room, one.columns) * CELL > width) [x, y] = [LEFT, bottom + BETWEEN];
    const placed = {...one, x, y, names: named && x === LEFT};
    x += one.columns * CELL + (isMatrix(one.kind) ? NEAR : SPACE);
    bottom = Math.max(bottom, y + one.rows * line);
    return placed;
  });
}

export function drawPanels(svg, figure, sizes) {
  const {tokens} = figure.data;
  const panels = {};
  const groups = {};
  for (const place of arrange(wanted(figure.data), sizes)) {
    const group = (groups[place.kind] = add(svg, "g"));
    drawTitles(group, place, tokens, sizes.line);
    panels[place.kind] = drawNumbers(svg, group, place, figure, sizes.line);
  }
  const bottom = Math.max(...Object.values(panels).map(one => one.bottom));
  const update = (state, now) => {
    const look = looks(tokens, now);
    for (const kind in panels) {
      panels[kind].update(now.panels[kind], look(kind));
      if (ROWS_ASK.includes(kind)) rest(panels[kind].cells, state.asks);
      set(groups[kind], {opacity: tooEarly(kind, state) ? 0.12 : null});
    }
    outline(panels, state, tokens.length);
  };
  return {bottom, update};
}

// Does the story come to these numbers only later?
function tooEarly(kind, {told}) {
  const thought = {score: "scores", weight: "weights", output: "output"}[kind];
  return thought && told && told[0] < THOUGHTS.indexOf(thought);
}

function drawTitles(svg, {title, x, y, labels, names}, tokens, line) {
  add(svg, "text", {class: "b", x, y: y - (labels ? 22 : 7)}, title);
  labels?.forEach((word, j) => {
    add(svg, "text", {class: "m t", x: x + j * CELL + CELL / 2 - 1, y: y - 6}, cut(word, 6));
  });
  if (!names) return;
  tokens.forEach((word, i) => {
    const at = {x: x - 8, y: y + i * line + line / 2 + 3.5};
    add(svg, "text", {...at, class: "n s"}, cut(word, 7));
  });
}

function drawNumbers(svg, group, place, figure, line) {
  const {kind, title, x, y, rows, columns} = place;
  const edit = isInput(kind);
  const size = {x, y, rows, columns, width: CELL, height: line, pad: 3};
  const choose = (i, j) => figure.act(pick, kind, i, j);
  const over = at => figure.act(alter, {over: at && [kind, ...at]});
  const what = {name: title, pick: choose, over, edit: () => edit, write: short};
  const drawn = panel(group, {...size, ...what});
  if (edit) {
    const get = (i, j) => read(figure.state, [kind, i, j]);
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
  const parameter = k => (value, i, j) => {
    const label = `W${"qkv"[k]}, row ${i + 1}, column ${j + 1}: ${short(value)}`;
    return {tint: PROJECTED[k], opacity: 0.12, label};
  };
  const row = kind => (value, i, j) => {
    const label = `${kind} of ${tokens[i]}, channel ${j + 1}: ${short(value)}`;
    return {tint: kind, opacity: kind === "x" ? 0 : 0.12, label};
  };
  return kind => ({score, weight})[kind] ?? (isMatrix(kind) ? parameter(kind[1]) : row(kind));
}

// The path of the asking row, and of the key whose number is chosen. Without projections the tokens
// are queries and keys themselves.
function outline(panels, {asks, at: [kind, i, j]}, n) {
  const {x, query = x, key = x, value, score, weight, output} = panels;
  const pair = kind === "score" || kind === "weight";
  const asked = pair ? j : ["key", "value"].includes(kind) ? i : undefined;
  query.outline("query", asks);
  key.outline("key", asked);
  value?.outline("value", ...(kind === "output" ? [0, j, n, 1] : [asked]));
  score.outline("query", asks);
  weight.outline("weight", asks);
  for (const one of [score, weight]) one.outline("key", ...(pair ? [asks, j, 1, 1] : []));
  output.outline("output", asks);
}
