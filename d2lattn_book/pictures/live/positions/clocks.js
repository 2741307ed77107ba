// One clock for each pair. Sine goes up and cosine to the right, as in the circle of school.
import {grid} from "../kit/cells.js";
import {alter} from "../kit/figure.js";
import {put} from "../kit/motion.js";
import {WIDE, add, set} from "../kit/nodes.js";
import {degrees} from "./explain.js";
import {onlyClocks, steps} from "./state.js";

const MOST = 16; // clocks
const PER_ROW = 8;
const PER_NARROW_ROW = 4;
const FEW = 4; // so few clocks are larger
const LETTER = 7.2; // pixels of its width, in a text that has to fit a box
const UNDER = 52; // a clock: its text, and the space to the next row

export const TURN = 2 * Math.PI;

const DEGREES = 180 / Math.PI;

// A hand, fixed at its beginning.
export function addHand(parent, role, length, width) {
  const looks = {"stroke-width": width, "stroke-linecap": "round", stroke: `var(--${role})`};
  return add(parent, "line", {...looks, x2: length});
}

export const pointTo = (hand, [x, y], angle) => put(hand, x, y, -angle * DEGREES);

// A slice of a circle: half as large, with a line as wide, it has no inside.
export function addSlice(parent, r) {
  const looks = {fill: "none", stroke: "var(--weight)", "stroke-opacity": 0.45, pathLength: 360};
  return add(parent, "circle", {...looks, r: r / 2, "stroke-width": r});
}

// From one angle to another; whole turns are full.
export function open(slice, [x, y], from, to) {
  const wide = Math.min(360, Math.abs(to - from) * DEGREES);
  set(slice, {"stroke-dasharray": `${wide} ${360.1 - wide}`});
  put(slice, x, y, -Math.max(from, to) * DEGREES);
}

// Where the clocks stand.
export function clocksOf({dim}, width) {
  const count = Math.min(dim / 2, MOST);
  const narrow = width < WIDE;
  const per = Math.min(count, narrow ? PER_NARROW_ROW : PER_ROW);
  const column = width / Math.max(per, narrow ? PER_NARROW_ROW : 5);
  const r = Math.min(per <= FEW ? 46 : 38, column / 2 - 10);
  const rows = Math.ceil(count / per);
  const lengths = Array.from({length: rows}, (_, i) => Math.min(per, count - i * per));
  const at = k => [
    (width - per * column) / 2 + ((k % per) + 0.5) * column,
    r + 12 + Math.floor(k / per) * (2 * r + UNDER),
  ];
  const box = k => {
    const [x, y] = at(k);
    return {x: x - r - 8, y: y - r - 8, width: 2 * r + 16, height: 2 * r + 40, rx: 8};
  };
  return {count, per, r, lengths, at, box, bottom: at(count - 1)[1] + r};
}

export function drawClocks(svg, {act, data}, clocks) {
  const {count, per, lengths, at, box} = clocks;
  const name = onlyClocks(data) ? k => `clock ${k + 1}` : k => `pair ${k}`;
  const build = (cell, i, j) => drawClock(cell, clocks, i * per + j);
  const pick = (i, j) => act(alter, {pair: i * per + j});
  const cells = grid(svg, "clocks, one for each pair", lengths, build, pick).flat();
  const chosen = add(svg, "rect", {...box(0), class: "mark", stroke: "currentColor"});
  return ({a, b, pair}, {speeds}) => {
    cells.forEach((cell, k) => {
      const [, , slice, key, query, text] = cell.children;
      const [from, to] = [a * speeds[k], b * speeds[k]];
      pointTo(query, at(k), from);
      pointTo(key, at(k), to);
      const between = degrees(steps({a, b}, data) * speeds[k]);
      open(slice, at(k), from, to);
      const said = `turn ${between}`;
      set(text, {}, said.length * LETTER < box(k).width ? said : between);
      const hands = `a at ${degrees(from)}, b at ${degrees(to)}`;
      set(cell, {"aria-label": `${name(k)}: ${hands}, turn ${between}`});
    });
    set(chosen, box(Math.min(pair, count - 1)));
  };
}

function drawClock(cell, {r, at, box}, k) {
  const [x, y] = at(k);
  const face = {cx: x, cy: y, r, fill: "none", stroke: "currentColor", "stroke-opacity": 0.4};
  add(cell, "rect", {...box(k), class: "box"});
  add(cell, "circle", face);
  addSlice(cell, r - 12);
  for (const role of ["key", "query"]) addHand(cell, role, r - 5, 4.5);
  add(cell, "text", {x, y: y + r + 20, class: "m s"});
  add(cell, "rect", {...box(k), class: "ring"});
}
