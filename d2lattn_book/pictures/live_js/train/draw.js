// The curves, or queries, keys and values; the maps of every head; and the words of one text with
// what the model says of them.
import {all} from "../kit/figure.js";
import {WIDE, add, fit, stage} from "../kit/nodes.js";
import {drawCurves} from "./curves.js";
import {drawMaps, highOf} from "./maps.js";
import {drawSides} from "./sides.js";
import {drawText, heightOf} from "./text.js";

export const STYLE = `
.bar { column-gap: 12px; }
.bar .row { flex-basis: 100%; height: 0; }
select { max-width: 262px; }
input[type=number] { width: 70px; }
.typed { width: 170px; }
.word { fill: currentColor; fill-opacity: .05; }
p { min-height: 4.4em; }
`;
const HIGH = 236; // of curves and maps
const CURVES = 316;

export const sizes = () => [340, 600, WIDE];

// The picture is made anew where its parts change in number: another task, more heads.
export function draw(live, figure) {
  let made = "";
  let update = null;
  return (state, now) => {
    if (!now.models.length) return;
    const parts = now.models.map(({settings}) => [settings.layers, settings.heads]);
    const {task, said, change, sides} = state;
    const key = JSON.stringify([task, said, change, sides, parts, figure.width]);
    if (key !== made) {
      made = key;
      live.replaceChildren();
      update = build(live, figure, now, parts, state.sides ? drawSides : drawCurves);
    }
    update(state, now);
  };
}

function build(live, figure, now, parts, drawFirst) {
  const {width} = figure;
  const box = stage(live);
  const svg = add(box, "svg");
  const wide = width === WIDE;
  const part = (x, y) => ({svg: add(svg, "g", {transform: `translate(${x},${y})`}), x, y});
  const first = {...part(0, 0), width: wide ? CURVES : width, height: HIGH};
  const left = wide ? CURVES + 24 : 0;
  const top = wide ? 0 : HIGH + 14;
  const maps = {...part(left, top), width: width - left, height: HIGH};
  const below = top + (wide ? HIGH : highOf(maps, parts)) + 16;
  const text = {...part(0, below), width};
  const height = below + heightOf(now, width);
  const updates = all(
    drawFirst(first, {box, size: {width, height}}, figure, now),
    drawMaps(maps, {box, size: {width, height}}, figure, parts),
    drawText(text, figure, now),
  );
  fit(svg, width, height, 384);
  return updates;
}
