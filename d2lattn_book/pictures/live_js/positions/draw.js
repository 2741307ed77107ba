// The drawing of positions: clocks; below, what of the encoding with its two curves and of the turn
// of two arrows the page wants.
import {all} from "../kit/figure.js";
import {WIDE, add, fit, lay, stage} from "../kit/nodes.js";
import {clocksOf, drawClocks} from "./clocks.js";
import {curvesOf, drawCurves, drawGlass} from "./curves.js";
import {drawRope} from "./rope.js";

export const sizes = () => [340, 600, WIDE];

const TEXT = 30; // below a clock
const ROPE = {arrow: 52, beside: false};
const LARGE_ROPE = {arrow: 70, beside: true}; // where there are no curves

export function draw(live, figure) {
  const {data, width} = figure;
  const box = stage(live);
  const has = part => data.parts.includes(part);
  const canvas = has("encoding") && add(box, "canvas");
  const svg = add(box, "svg", {class: "glides"});
  const places = clocksOf(data, width);
  const drawn = [drawClocks(svg, figure, places)];
  let height = places.bottom + TEXT;
  let rope = {left: 8, top: height + 30, ...(width < 600 ? ROPE : LARGE_ROPE)};
  if (canvas) {
    const place = curvesOf(data, places.bottom, width);
    drawn.push(drawCurves(svg, canvas, place));
    drawGlass(svg, figure, place);
    height = place.bottom + 22;
    const beside = width >= WIDE;
    rope = {...ROPE, left: beside ? place.right + 36 : 8, top: beside ? place.map.y : height + 30};
  }
  if (has("turn")) {
    const {update, bottom} = drawRope(svg, rope);
    drawn.push(update);
    height = Math.max(height, bottom);
  }
  fit(svg, width, height, 455);
  if (canvas) lay(canvas, curvesOf(data, places.bottom, width).map, {width, height});
  return all(...drawn);
}
