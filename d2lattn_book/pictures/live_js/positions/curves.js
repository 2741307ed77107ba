// The encoding as a map, position to the right, and the curves of the chosen pair on one axis.
import {paint} from "../kit/map.js";
import {WIDE, add, dragged, set, within} from "../kit/nodes.js";
import {clamp, show} from "../kit/numbers.js";
import {TURN} from "./clocks.js";
import {encoding, move, nearer} from "./state.js";

const LEFT = 56;
const ROPE = 268; // what stands to the right of all positions
const TALL = 36; // a curve, above and below its axis
const SWING = 0.9; // of it, the size of a 1
const FINE = 4; // points of a curve for each position
const GREY = [112, 112, 116]; // stands out on light and on dark pages
const CLOSE = 14; // the letters of two positions as near as this stand aside,
const ASIDE = 7; // each by so much

// Where the map and the curves stand, below `top`.
export function curvesOf({dim, length, parts}, top, width) {
  const beside = width >= WIDE && parts.includes("turn");
  const span = width - LEFT - (beside ? ROPE : 8);
  const height = clamp(dim * 9, 64, 140);
  const map = {x: LEFT, y: top + 62, width: span, height};
  const axis = map.y + height + 68;
  const unit = span / length;
  const x = p => LEFT + (p + 0.5) * unit;
  const bottom = axis + TALL;
  return {map, line: height / dim, axis, unit, x, bottom, right: LEFT + span, dim, length};
}

export function drawCurves(svg, canvas, place) {
  const {map, line, axis} = place;
  const roomy = map.width > 450;
  const heading = roomy
    ? "the encoding: a column for each position, a row for each channel"
    : "the encoding";
  const end = {x: LEFT - 8, class: "e s"};
  add(svg, "text", {x: LEFT, y: map.y - 8, class: "b"}, heading);
  add(svg, "rect", {...map, fill: "none", stroke: "currentColor", "stroke-opacity": 0.4});
  add(svg, "text", {...end, y: map.y + 10}, "fast");
  add(svg, "text", {...end, y: map.y + map.height - 2}, "slow");
  const mark = {class: "mark", stroke: "currentColor", x: LEFT - 1, width: map.width + 2};
  const pairMark = add(svg, "rect", {...mark, height: 2 * line});
  const title = add(svg, "text", {x: LEFT, y: axis - TALL - 8, class: "b"});
  const level = {x1: LEFT, x2: LEFT + map.width, y1: axis, y2: axis};
  add(svg, "line", {...level, stroke: "currentColor", "stroke-opacity": 0.35});
  const curves = drawPair(svg, place);
  const bars = drawPositions(svg, place);

  let painted = null; // the base and the speed that are on screen
  let drawn = null;
  return (state, {speed}) => {
    if (painted !== state.base) paintEncoding(canvas, place, (painted = state.base));
    if (drawn !== speed) curves((drawn = speed));
    set(pairMark, {y: map.y + 2 * state.pair * line});
    const positions = show(TURN / speed, 1);
    set(title, {}, `pair ${state.pair}: period ${positions} positions`);
    bars(state);
  };
}

function drawPair(svg, {axis, x, length}) {
  const line = {fill: "none", stroke: "currentColor", "stroke-width": 2, "aria-hidden": "true"};
  const drawOne = (name, offset, dashes) => {
    add(svg, "text", {x: LEFT - 8, y: axis + offset, class: "e s"}, name);
    return add(svg, "path", {...line, "stroke-dasharray": dashes});
  };
  const sine = drawOne("sin —", -4, null);
  const cosine = drawOne("cos - -", 14, "5 4");
  const path = (wave, speed) =>
    Array.from({length: FINE * (length - 1) + 1}, (_, i) => {
      const y = axis - TALL * SWING * wave((i / FINE) * speed);
      return `${i ? "L" : "M"}${x(i / FINE).toFixed(1)},${y.toFixed(1)}`;
    }).join("");
  return speed => {
    set(sine, {d: path(Math.sin, speed)});
    set(cosine, {d: path(Math.cos, speed)});
  };
}

// The two positions: a bar over the map, an upright through the curves and a letter.
function drawPositions(svg, {map, axis, unit, x}) {
  const tall = {y1: axis - TALL, y2: axis + TALL, "stroke-width": 3};
  const frame = {y: map.y, width: unit, height: map.height, class: "mark"};
  const bars = ["key", "query"].map(role => {
    const stroke = `var(--${role})`;
    const bar = add(svg, "rect", {...frame, stroke, style: "stroke-width:3.5"});
    const upright = add(svg, "line", {...tall, stroke});
    return [bar, upright, add(svg, "text", {y: axis + TALL + 16, class: "m b"})];
  });
  return ({a, b}) => {
    const close = Math.abs(a - b) * unit < CLOSE;
    ["b", "a"].forEach((name, k) => {
      const [bar, upright, letter] = bars[k];
      const to = name === "a" ? a : b;
      const first = (name === "a") === a <= b;
      set(bar, {x: LEFT + to * unit});
      set(upright, {x1: x(to), x2: x(to)});
      set(letter, {x: x(to) + (close ? (first ? -ASIDE : ASIDE) : 0)}, name);
    });
  };
}

function paintEncoding(canvas, {dim, length}, base) {
  const columns = Array.from({length}, (_, p) => encoding(p, dim, base));
  const values = columns[0].flatMap((_, c) => columns.map(column => column[c]));
  paint(
    canvas,
    values,
    length,
    () => GREY,
    value => 0.47 * (1 + value),
  );
}

// A hand takes hold of the nearer position, anywhere on the map and the curves.
export function drawGlass(svg, figure, {map, unit, bottom, length}) {
  const size = {x: LEFT, y: map.y, width: map.width, height: bottom - map.y};
  const glass = add(svg, "rect", {...size, fill: "transparent", style: "cursor:ew-resize"});
  const under = event => clamp(Math.floor((within(svg, event)[0] - LEFT) / unit), 0, length - 1);
  const carry = (event, held) => figure.act(move, held, under(event));
  const start = event => {
    const held = nearer(figure.state, under(event));
    carry(event, held);
    return held;
  };
  dragged(glass, start, carry);
}
