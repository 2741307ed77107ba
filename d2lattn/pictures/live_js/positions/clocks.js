// One clock for each pair. Sine goes up and cosine to the right, as in the circle of school.
import {grid} from "../kit/cells.js";
import {alter} from "../kit/figure.js";
import {add, set} from "../kit/nodes.js";
import {clamp} from "../kit/numbers.js";
import {degrees} from "./explain.js";

const MOST = 16; // clocks
const PER_ROW = 8;
const FEW = 4; // so few clocks are larger
const UNDER = 52; // a clock: its text, and the space to the next row

export const TURN = 2 * Math.PI;

export const point = ([x, y], angle, r) => [x + r * Math.cos(angle), y - r * Math.sin(angle)];

// A slice of the circle from one angle to another, the way the hand turned; whole turns are full.
export function wedge(centre, from, to, r) {
  const by = clamp(to - from, -6.283, 6.283); // a slice of exactly 2 π would be none
  const start = point(centre, from, r);
  const end = point(centre, from + by, r);
  const large = Math.abs(by) > Math.PI ? 1 : 0;
  return `M${centre}L${start}A${r},${r} 0 ${large} ${by > 0 ? 0 : 1} ${end}Z`;
}

// Where the clocks stand.
export function clocksOf({dim}, width) {
  const count = Math.min(dim / 2, MOST);
  const per = Math.min(count, PER_ROW);
  const r = per <= FEW ? 46 : 38;
  const column = width / Math.max(per, 5);
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
  const {count, per, r, lengths, at, box} = clocks;
  const name = data.clocks ? k => `clock ${k + 1}` : k => `pair ${k}`;
  const build = (cell, i, j) => drawClock(cell, clocks, i * per + j);
  const pick = (i, j) => act(alter, {pair: i * per + j});
  const cells = grid(svg, "clocks, one for each pair of columns", lengths, build, pick).flat();
  const chosen = add(svg, "rect", {...box(0), class: "mark", stroke: "currentColor"});
  return ({p, q, pair}, {speeds}) => {
    cells.forEach((cell, k) => {
      const [, , slice, key, query, text] = cell.children;
      const [from, to] = [p * speeds[k], q * speeds[k]];
      pointTo(query, at(k), from, r - 5);
      pointTo(key, at(k), to, r - 5);
      const between = degrees((q - p) * speeds[k]);
      set(slice, {d: wedge(at(k), from, to, r - 12)});
      set(text, {}, `turn ${between}`);
      const hands = `p at ${degrees(from)}, q at ${degrees(to)}`;
      set(cell, {"aria-label": `${name(k)}: ${hands}, the turn between them ${between}`});
    });
    set(chosen, box(Math.min(pair, count - 1)));
  };
}

// A hand from where it is fixed to an angle.
export function pointTo(hand, centre, angle, length) {
  const [x2, y2] = point(centre, angle, length);
  set(hand, {x2, y2});
}

function drawClock(cell, {r, at, box}, k) {
  const [x, y] = at(k);
  const face = {cx: x, cy: y, r, fill: "none", stroke: "currentColor", "stroke-opacity": 0.4};
  const hand = {x1: x, y1: y, "stroke-width": 4.5, "stroke-linecap": "round"};
  add(cell, "rect", {...box(k), class: "box"});
  add(cell, "circle", face);
  add(cell, "path", {fill: "var(--weight)", "fill-opacity": 0.45});
  for (const role of ["key", "query"]) add(cell, "line", {...hand, stroke: `var(--${role})`});
  add(cell, "text", {x, y: y + r + 20, class: "m s"});
  add(cell, "rect", {...box(k), class: "ring"});
}
