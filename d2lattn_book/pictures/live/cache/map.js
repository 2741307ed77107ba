// Who could look up whom: a row for each word when it was the newest, a column for each word before.
import {nameMap} from "../kit/map.js";
import {add, set} from "../kit/nodes.js";
import {clamp} from "../kit/numbers.js";

const WIDTH = 360;
const LEFT = 78; // of the columns; to the left of them, words
const TOP = 66; // of the rows; above them, words
const RIGHT = 30; // for the last slanted word
const LOOKS = {
  kept: {fill: "var(--key)", "fill-opacity": 0.75},
  overlaid: {fill: "var(--value)", "fill-opacity": 0.45},
  dropped: {fill: "currentColor", "fill-opacity": 0.05},
  later: {fill: "none", "fill-opacity": 0},
};
const LEGEND = [
  ["kept", "visible"],
  ["dropped", "evicted"],
  ["overlaid", "summed into the state"],
];

export function drawMap(below, {data: {tokens}}) {
  const n = tokens.length;
  const side = add(below, "div", {class: "seen"});
  add(side, "div", {class: "caption"}, "which query (row) can see which key (column)");
  const cell = clamp((WIDTH - LEFT - RIGHT) / n, 10, 30);
  const height = TOP + n * cell + 34;
  const svg = add(side, "svg", {class: "glides", viewBox: `0 0 ${WIDTH} ${height}`});
  set(svg, {"aria-hidden": "true"}); // the sentence and the words say it
  const square = {width: cell, height: cell};
  nameMap(svg, {x: LEFT, y: TOP, cell: square, rows: tokens, columns: tokens});
  const cells = tokens.map((_, i) => tokens.map((_, j) => drawCell(svg, i, j, cell)));
  const row = add(svg, "rect", {class: "mark", stroke: "var(--query)", x: LEFT - 2, rx: 3});
  set(row, {height: cell + 2});
  drawLegend(svg, TOP + n * cell + 12);
  return ({read}, {map}) => {
    cells.forEach((line, i) => line.forEach((one, j) => look(one, map[i][j], i === read - 1)));
    set(row, {y: TOP + (read - 1) * cell - 1, width: read * cell + 3});
  };
}

// A box, and the stroke through what is overlaid.
function drawCell(svg, i, j, cell) {
  const at = {x: LEFT + j * cell, y: TOP + i * cell};
  const box = {...at, width: cell - 1.5, height: cell - 1.5, rx: 2};
  const node = add(svg, "rect", {...box, stroke: "currentColor"});
  const d = `M${at.x + 2},${at.y + cell - 4}L${at.x + cell - 4},${at.y + 2}`;
  return [node, add(svg, "path", {d, stroke: "currentColor", "stroke-width": 1.2})];
}

function look([box, stroke], fate, newest) {
  set(box, {...LOOKS[fate], "stroke-opacity": fate === "dropped" ? 0.45 : 0});
  if (fate === "kept") set(box, {"fill-opacity": newest ? 1 : 0.55});
  set(stroke, {"stroke-opacity": fate === "overlaid" ? 0.7 : 0});
}

function drawLegend(svg, y) {
  let x = 4;
  for (const [fate, text] of LEGEND) {
    const group = add(svg, "g", {transform: `translate(${x},${y})`});
    const box = add(group, "rect", {width: 16, height: 16, rx: 2, stroke: "currentColor"});
    const line = {d: "M2,14L14,2", stroke: "currentColor", "stroke-width": 1.2};
    look([box, add(group, "path", line)], fate, false);
    add(group, "text", {x: 22, y: 13}, text);
    x += 34 + 7.2 * text.length;
  }
}
