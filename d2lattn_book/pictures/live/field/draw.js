// The drawing of a stack of convolutions, and below it the table of costs.
import {grid} from "../kit/cells.js";
import {barOf, control, fill} from "../kit/controls.js";
import {WIDE, add, fit, set, shown, stage} from "../kit/nodes.js";
import {clamp} from "../kit/numbers.js";
import {count} from "./explain.js";
import {DEPTH, N, choose, costs} from "./state.js";

export const STYLE = `
.unit {
  fill: color-mix(in srgb, currentColor 12%, transparent);
  stroke: currentColor; stroke-opacity: .5;
}
.hit {
  fill: color-mix(in srgb, var(--value) 60%, transparent);
  stroke: var(--value); stroke-opacity: 1; stroke-width: 2.5;
}
.asked {
  fill: color-mix(in srgb, var(--output) 60%, transparent);
  stroke: var(--output); stroke-opacity: 1; stroke-width: 3;
}
table { border-collapse: collapse; font: inherit; color: inherit; margin: 6px 0; }
th, td {
  padding: 3px 14px; text-align: right;
  border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent);
}
th:first-child { text-align: left; }
.narrow :is(th, td) { padding: 3px 5px; font-size: 13px; }
.u { font-size: 11px; }
`;
const HEIGHT = 248;
const MARGIN = 20; // above and below the middles of units
const FARTHEST = 68; // one layer from the next

export const sizes = () => [340, 600, WIDE];

// Where the units stand; to the left of them are names.
function roomIn(width) {
  const narrow = width < 600;
  const left = narrow ? 22 : 84;
  const step = (width - left - (narrow ? 0 : 10)) / N;
  const r = Math.min(13, step / 2 - 0.6);
  return {width, narrow, left, r, x: i => left + (i + 0.5) * step};
}

// The middle of a level: the top one stays where it is, and those below it move.
function levels(depth) {
  const gap = Math.min(FARTHEST, (HEIGHT - 2 * MARGIN) / depth);
  return level => MARGIN + (depth - level) * gap;
}

export function draw(live, figure) {
  const {act, width} = figure;
  const svg = add(stage(live), "svg", {class: "glides"});
  fit(svg, width, HEIGHT, 310);
  const room = roomIn(width);
  const links = drawLinks(svg, room);
  const units = drawUnits(svg, room, act);
  const table = drawCosts(live, figure, room);
  return (state, now) => {
    const y = levels(state.depth);
    set(svg, {viewBox: `0 0 ${width} ${y(0) + MARGIN}`});
    links(now.links, y);
    units(state, now.found, y);
    table(state, now.costs);
  };
}

function drawLinks(svg, {x, r}) {
  const thin = {stroke: "currentColor", "stroke-opacity": 0.16, "stroke-width": 1.2};
  const thick = {stroke: "var(--value)", "stroke-width": 3.5, "stroke-linecap": "round"};
  const all = add(svg, "path", {fill: "none", ...thin});
  const used = add(svg, "path", {fill: "none", ...thick});
  return (links, y) => {
    const line = ({layer, from, to}) => `M${x(from)},${y(layer) - r}L${x(to)},${y(layer + 1) + r}`;
    const path = some => some.map(line).join("") || "M0,0";
    set(all, {d: path(links)});
    set(used, {d: path(links.filter(link => link.used))});
  };
}

// The top row comes first, as on screen, so that the arrow keys walk the way one looks.
function drawUnits(svg, {x, r, left, narrow}, act) {
  const name = () => add(svg, "text", {class: "e s", x: left - 8});
  const names = Array.from({length: DEPTH + 1}, name);
  const build = (cell, row, i) => {
    add(cell, "circle", {cx: x(i), r, class: "unit"});
    add(cell, "text", {class: narrow ? "m u" : "m s", x: x(i)});
    add(cell, "circle", {cx: x(i), r: r + (narrow ? 1 : 4), class: "ring"});
  };
  const pick = (row, i) => act(choose, {at: [DEPTH - row, i]});
  const all = "units: choose one";
  const rows = grid(svg, all, Array(DEPTH + 1).fill(N), build, pick);

  return (state, found, y) => {
    names.forEach((node, level) => {
      const text = narrow ? level || "in" : level ? `layer ${level}` : "inputs";
      set(node, {y: y(level) + 4, ...shown(level <= state.depth)}, text);
    });
    rows.forEach((row, k) => {
      const level = DEPTH - k;
      const hit = i => level <= state.at[0] && found[level].includes(i);
      set(row[0].parentNode, {display: level > state.depth ? "none" : null});
      row.forEach((cell, i) => drawUnit(cell, state.at, [level, i], hit(i), y(level)));
    });
  };
}

function drawUnit(cell, at, [level, i], hit, y) {
  const [circle, text, ring] = cell.children;
  const asked = level === at[0] && i === at[1];
  const place = `${level ? `layer ${level}` : "input"}, position ${i}`;
  const [kind, said] = asked ? [" asked", ", chosen"] : hit ? [" hit", ", seen"] : ["", ""];
  set(cell, {tabindex: asked ? 0 : -1, "aria-label": place + said});
  set(circle, {cy: y, class: "unit" + kind});
  set(text, {y: y + 4}, i);
  set(ring, {cy: y});
}

const COLUMNS = ["one layer", "FLOPs", "sequential operations", "maximum path length"];

function drawCosts(live, {act, data}, {narrow}) {
  const {kernel, dilated, causal} = data;
  const bar = barOf(live);
  const size = (name, key, most) => {
    const whole = {type: "number", min: 1, max: most, step: 1};
    const change = input => act(choose, {[key]: clamp(Math.round(input.value) || 1, 1, most)});
    return control(bar, name, whole, change);
  };
  const n = size("positions n", "n", 1e6);
  const d = size("width d", "d", 1e5);
  const table = add(live, "table", {class: narrow ? "narrow" : null});
  const head = add(table, "tr");
  for (const name of COLUMNS) add(head, "th", {scope: "col"}, name);
  const rows = Object.keys(costs(1, 1, kernel, dilated, causal)).map(name => {
    const row = add(table, "tr");
    const first = add(row, "th", {scope: "row"}, name);
    return [first, ...[0, 1, 2].map(() => add(row, "td"))];
  });

  return (state, numbers) => {
    fill(n, state.n);
    fill(d, state.d);
    Object.values(numbers).forEach((row, i) => {
      row.forEach((value, c) => set(rows[i][c + 1], {}, count(value)));
    });
    set(rows[0][0], {}, `convolution, k = ${state.k}`);
  };
}
