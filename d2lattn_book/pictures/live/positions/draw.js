// The drawing of positions: clocks; below, where the page wants it, the turn of two arrows.
import {all} from "../kit/figure.js";
import {WIDE, add, fit, stage} from "../kit/nodes.js";
import {clocksOf, drawClocks} from "./clocks.js";
import {drawRope} from "./rope.js";
import {onlyClocks} from "./state.js";

export const sizes = () => [340, 600, WIDE];

const TEXT = 30; // below a clock
const ROPE = {arrow: 52, beside: false};
const LARGE_ROPE = {arrow: 70, beside: true};

export function draw(live, figure) {
  const {data, width} = figure;
  const svg = add(stage(live), "svg", {class: "glides"});
  const places = clocksOf(data, width);
  const drawn = [drawClocks(svg, figure, places)];
  let height = places.bottom + TEXT;
  if (!onlyClocks(data)) {
    const rope = {left: 8, top: height + 30, ...(width < WIDE ? ROPE : LARGE_ROPE)};
    const {update, bottom} = drawRope(svg, rope);
    drawn.push(update);
    height = bottom;
  }
  fit(svg, width, height, 455);
  return all(...drawn);
}
