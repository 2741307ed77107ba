// The drawing of the online softmax: scores, their powers, and a table, a column for each number.
import {editable, panel} from "../kit/cells.js";
import {all} from "../kit/figure.js";
import {WIDE, add, fit, set, stage} from "../kit/nodes.js";
import {show} from "../kit/numbers.js";
import {isInput, pick, read, rowsOf, write} from "./state.js";

const LEFT = 196; // of the first number; to the left of it, names
const LEAST = 48; // the least room for a number
const NAME = 17; // of the table's rows, over them on a narrow page
const WIDEST = 104; // of the room for a number
const LINE = 24; // the height of a row
const SCORES = {top: 16, bottom: 112};
const POWERS = {top: 144, bottom: 204};
const TABLE = POWERS.bottom + 18;

export const sizes = ({scores}) => {
  const least = 8 + scores.length * LEAST;
  return [...new Set([Math.max(340, least), Math.max(500, least), 680, WIDE])];
};

// To the left of the numbers stand names; on a narrow page, above what they name.
export function draw(live, figure) {
  const {width, data} = figure;
  const n = data.scores.length;
  const narrow = width < 680;
  const left = narrow ? 4 : LEFT;
  const svg = add(stage(live), "svg", {class: "glides"});
  const step = Math.min(WIDEST, (width - left - 4) / n);
  const bar = Math.min(40, step - 8);
  const x = j => left + j * step;
  const names = narrow ? {x: 4} : {x: left - 12, class: "e"};
  const bars = j => ({x: x(j) + step / 2 - bar / 2, width: bar});
  const room = {svg, n, step, x, narrow, left, names, bar: bars};
  const redraw = drawBars(room);
  const table = drawTable(room, figure);
  fit(svg, width, table.bottom + 4);
  return all(redraw, table.update);
}

function drawBars({svg, n, step, x, bar, narrow, left, names}) {
  const each = Array.from({length: n}, (_, j) => j);
  const level = {x1: left, x2: x(n), stroke: "currentColor", "stroke-opacity": 0.35};
  const outlined = {stroke: "var(--key)", "stroke-width": 1.5, fill: "var(--key)"};
  const kind = narrow ? "s" : "e s";
  add(svg, "text", {...names, y: narrow ? 12 : 66}, "scores");
  const of = narrow ? {x: x(n), y: 12, class: "e s"} : {...names, y: 85, class: kind};
  add(svg, "text", of, "line: running maximum");
  add(svg, "text", {...names, y: narrow ? 126 : 178}, "e^(score − maximum)");
  const zero = add(svg, "line", level);
  const scores = each.map(j => add(svg, "rect", {...bar(j), ...outlined}));
  const line = add(svg, "path", {fill: "none", stroke: "currentColor", "stroke-width": 2.5});
  const powers = each.map(j => add(svg, "rect", {...bar(j), fill: "var(--weight)"}));
  const numbers = each.map(j => add(svg, "text", {class: "m s", x: x(j) + step / 2}));
  add(svg, "line", {...level, y1: POWERS.bottom, y2: POWERS.bottom});

  return (state, {states, now}) => {
    const y = scaleOf(state.scores);
    set(zero, {y1: y(0), y2: y(0)});
    set(line, {d: largestLine(states.slice(1, state.read + 1), x, y)});
    state.scores.forEach((score, k) => {
      const done = k < state.read;
      drawScore(scores[k], score, y, done);
      const power = done && now.largest > -Infinity ? Math.exp(score - now.largest) : 0;
      const height = (POWERS.bottom - POWERS.top) * power;
      const top = POWERS.bottom - height;
      set(powers[k], {y: top, height});
      set(numbers[k], {y: top - 5}, done ? show(power) : "");
    });
  };
}

// Where a score stands. What is hidden stands at the bottom.
function scaleOf(scores) {
  const seen = scores.filter(Number.isFinite);
  const high = Math.max(0, ...seen);
  const low = Math.min(0, ...seen);
  const unit = (SCORES.bottom - SCORES.top) / (high - low || 1);
  return score => (score === -Infinity ? SCORES.bottom : SCORES.top + (high - score) * unit);
}

// A bar from 0; of a hidden score there is none.
function drawScore(node, score, y, done) {
  const hidden = score === -Infinity;
  const top = hidden ? y(0) : Math.min(y(score), y(0));
  const height = hidden ? 0 : Math.abs(y(score) - y(0));
  set(node, {y: top, height, "fill-opacity": done ? 1 : 0});
}

// The largest score so far, as stairs.
function largestLine(states, x, y) {
  let path = "";
  states.forEach(({largest}, k) => {
    if (largest === -Infinity) return;
    path += `${path ? "L" : "M"}${x(k)},${y(largest)}H${x(k + 1)}`;
  });
  return path || "M0,0";
}

function drawTable({svg, n, step, narrow, left, names}, figure) {
  const rows = rowsOf(figure.data);
  const gap = narrow ? NAME : 0;
  rows.forEach(([name], i) => {
    const y = TABLE + i * (LINE + gap) + (narrow ? 12 : 16);
    add(svg, "text", {...names, class: narrow ? "t" : "e s", y}, name);
  });
  const at = {x: left, y: TABLE + gap, gap, width: step, height: LINE};
  const size = {...at, rows: rows.length, columns: n};
  const table = panel(svg, {
    ...size,
    name: "the steps: one column for each key",
    pad: Math.max(3, step / 2 - 20),
    pick: (i, j) => figure.act(pick, i, j),
    edit: i => isInput(figure.state, i),
  });
  const get = (i, j) => read(figure.state, [i, j]);
  editable(svg, table.cells, figure, get, (i, j, value) => figure.act(write, [i, j], value));

  const update = (state, now) => {
    table.update(now.table, (value, i, j) => look(rows[i], value, state, i, j));
    table.outline("query", ...(state.read ? [0, state.read - 1, rows.length, 1] : []));
  };
  return {update, bottom: table.bottom};
}

// What is computed appears when its number has been read.
function look([name, role], value, state, i, j) {
  const done = j < state.read;
  const seen = done || isInput(state, i);
  return {
    tint: role ?? "value",
    opacity: role && seen ? (done ? 0.3 : 0.1) : 0,
    text: seen ? show(value) : "",
    label: `${name}, key ${j + 1}: ${seen ? show(value) : "not read yet"}`,
  };
}
