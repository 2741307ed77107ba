// The drawing of positions: clocks; below, the encoding and two curves, and RoPE to the right, if
// the page does not want the clocks alone.
import {add, fit, lay, stage} from "../kit/nodes.js";
import {clocksOf, drawClocks} from "./clocks.js";
import {curvesOf, drawCurves, drawGlass} from "./curves.js";
import {drawRope} from "./rope.js";

const WIDTH = 884;
const TEXT = 30; // below a clock

export function draw(live, figure) {
  const {data} = figure;
  const box = stage(live);
  const places = clocksOf(data, WIDTH);
  return (data.clocks ? drawAlone : drawAll)(box, figure, places);
}

function drawAlone(box, figure, places) {
  const svg = add(box, "svg");
  fit(svg, WIDTH, places.bottom + TEXT);
  return drawClocks(svg, figure, places);
}

function drawAll(box, figure, places) {
  const {data} = figure;
  const canvas = add(box, "canvas", {width: data.length, height: data.dim, "aria-hidden": "true"});
  const svg = add(box, "svg");
  const clocks = drawClocks(svg, figure, places);
  const place = curvesOf(data, places.bottom);
  const curves = drawCurves(svg, canvas, place);
  const rope = drawRope(svg, place.right + 36, place.map.y);
  drawGlass(svg, figure, place);
  const height = Math.max(place.bottom + 22, rope.bottom);
  fit(svg, WIDTH, height, 455);
  lay(canvas, place.map, {width: WIDTH, height});
  return (state, now) => {
    clocks(state, now);
    curves(state, now);
    rope.update(state, now);
  };
}
