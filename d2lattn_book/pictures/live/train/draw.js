// The curves, or queries, keys and values; the maps of every head; and the words of one text with
// what the model says of them. Curves stand beside the maps; on a telephone the maps stand first,
// right under Play, then the curves, and the sentence comes last.
import {all} from "../kit/figure.js";
import {WIDE, add, fit, stage} from "../kit/nodes.js";
import {drawCurves} from "./curves.js";
import {drawMaps, highOf} from "./maps.js";
import {drawSides} from "./sides.js";
import {drawText, heightOf} from "./text.js";

const BESIDE = 680; // the width where curves have room beside the maps

export const STYLE = `
:host { container-type: inline-size; }
.live { display: flex; flex-direction: column; }
.bar { column-gap: 12px; }
.bar .row { flex-basis: 100%; height: 0; }
details { flex-basis: 100%; }
summary { cursor: pointer; }
summary * { pointer-events: none; } /* it is the summary that is clicked */
summary .t { display: inline-block; }
summary:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
select { max-width: 262px; }
input[type=number] { width: 70px; }
.typed { width: 170px; }
.word { fill: currentColor; fill-opacity: .05; }
.wrong { text-decoration: line-through; }
.open { fill-opacity: .65; font-style: italic; }
/* Nothing moves under a hand: there is room for Pause, for steps, and for the longest sentence. */
.bar > button:first-of-type { min-width: 6.2em; }
.bar > .b { min-width: 6.8em; }
p { min-height: 4.4em; }
.two { min-height: 7.4em; }
@container (max-width: ${BESIDE - 1}px) {
  p { order: 1; margin-top: 10px; min-height: 12em; }
  .two { min-height: 20.4em; }
  summary .t { display: none; }
}
@media (pointer: coarse) and (max-width: 600px) { summary { line-height: 40px; } }
`;
const HIGH = 236; // of curves and maps
const CURVES = 316;
const NARROW_CURVES = 252; // beside the maps

export const sizes = () => [340, 600, BESIDE, 800, WIDE];

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
      update = build(live, figure, now, parts, state.sides);
    }
    update(state, now);
  };
}

function build(live, figure, now, parts, sides) {
  const {width} = figure;
  const box = stage(live);
  const svg = add(box, "svg");
  const beside = width >= BESIDE;
  const part = (x, y) => ({svg: add(svg, "g", {transform: `translate(${x},${y})`}), x, y});
  const across = !beside ? width : width < WIDE && !sides ? NARROW_CURVES : CURVES;
  const left = beside ? across + 24 : 0;
  const room = {width: width - left, height: HIGH};
  const under = beside ? 0 : highOf(room, parts) + 14; // of the maps, where these stand first
  const first = {...part(0, under), width: across, height: HIGH};
  const maps = {...part(left, 0), ...room};
  const below = under + HIGH + 16;
  const text = {...part(0, below), width};
  const height = below + heightOf(now, width);
  const updates = all(
    (sides ? drawSides : drawCurves)(first, {box, size: {width, height}}, figure, now),
    drawMaps(maps, {box, size: {width, height}}, figure, parts),
    drawText(text, figure, now),
  );
  fit(svg, width, height, width < WIDE ? 450 : 384, !beside);
  return updates;
}
