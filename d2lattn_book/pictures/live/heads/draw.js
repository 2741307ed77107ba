// The drawing of many heads: a strip of small maps, of a model those that stand out, too; below, the
// tokens, and beside or under them the map of the chosen head.
import {strip} from "../kit/cells.js";
import {alter} from "../kit/figure.js";
import {paint, rgb} from "../kit/map.js";
import {gliding} from "../kit/motion.js";
import {WIDE, add, fit, lay, stage} from "../kit/nodes.js";
import {drawMap, placeOf} from "./map.js";
import {drawPatches} from "./patches.js";
import {drawSentences, inOneLine, reachOf} from "./sentences.js";
import {drawStanding} from "./standing.js";
import {mapOf} from "./state.js";

export const sizes = () => [340, 500, 680, WIDE];
const MANY = 8; // more heads than these are drawn smaller,
const VERY_MANY = 16; // and smaller still

export const STYLE = `
.maps { margin: 4px 0; }
.maps [role=gridcell] { width: 86px; padding: 4px; text-align: center; font-size: 14px; }
.maps.many [role=gridcell] { width: 69px; padding: 3px; font-size: 13px; }
.maps.most [role=gridcell] { width: 44px; padding: 1px; font-size: 12px; }
.shown { border-color: var(--weight); }
.beside { display: flex; flex-wrap: wrap; gap: 4px 16px; }
.beside > .maps { flex: 1 1 310px; }
.beside > .most { flex-basis: 480px; }
.beside > .many [role=gridcell] { width: 57px; white-space: nowrap; }
.kind { display: flex; flex-wrap: wrap; gap: 3px; align-items: center; margin-bottom: 3px; }
.kind { font-size: 13px; white-space: nowrap; }
.kind b { width: 114px; }
.kind button {
  width: 80px; padding: 0; border: 2px solid transparent;
  background: color-mix(in srgb, currentColor 6%, transparent);
}
.kind button[aria-pressed=true] { border-color: var(--weight); }
.narrow { display: flex; flex-wrap: wrap; gap: 4px 8px; width: 100%; }
.narrow .kind { flex: 0 0 174px; align-content: start; }
.narrow b { width: 100%; }
.at { min-width: 1.3em; }
.maps canvas {
  width: 100%; aspect-ratio: 1; border: 1px solid #8889;
}
`;

export function draw(live, figure) {
  const {data} = figure;
  const above = data.layers ? add(live, "div", {class: "beside"}) : live;
  const maps = drawMaps(above, figure);
  const standing = data.standing ? drawStanding(above, figure) : () => {};
  const box = stage(live);
  const canvas = add(box, "canvas", {"aria-hidden": "true"});
  const svg = add(box, "svg", {class: "glides"});
  const sentences = (data.image ? drawPatches : drawSentences)(svg, figure);
  const {width} = figure;
  const place = placeOf(data, width);
  const map = drawMap(svg, figure, place);
  const height = Math.max(reachOf(data, width), map.bottom);
  fit(svg, width, height, inOneLine(data, width) ? 345 : 436);
  lay(canvas, place, {width, height});
  const show = gliding(weights => paintWeights(canvas, weights, data));

  let painted = null; // step and head that are on the maps
  return (state, now) => {
    const fresh = `${state.step} ${state.head}`;
    if (painted !== fresh) {
      painted = fresh;
      maps(state);
      standing(state);
      show(now.map);
      map.write(now.map);
    }
    sentences(state, now);
    map.update(now);
  };
}

// One map for each head. A figure of one head has none to choose from.
function drawMaps(live, {data, act}) {
  const {heads, numbers} = data;
  const H = heads.length;
  const kind = H > VERY_MANY ? "maps most" : H > MANY ? "maps many" : "maps";
  const place = add(live, "div", {class: kind, hidden: H < 2 ? "" : null});
  const maps = [];
  const build = (cell, _, h) => {
    const canvas = add(cell, "canvas", {"aria-hidden": "true"});
    maps[h] = gliding(weights => paintWeights(canvas, weights, data));
    add(cell, "span", {}, H > VERY_MANY ? numbers[h] : heads[h]);
  };
  const update = strip(place, "heads", build, head => act(alter, {head}));
  let painted = null;
  return ({step, head}) => {
    update(H, head, (_, h) => (h === head ? [`${heads[h]}, shown`, "shown"] : [heads[h]]));
    if (H > 1 && painted !== step) maps.forEach((glide, h) => glide(mapOf(data, step, h)));
    painted = step;
  };
}

// Weights of many tokens are small: their roots are what one can see.
function paintWeights(canvas, weights, {shape: [, , L, S], roles}) {
  const colour = rgb(roles.weight);
  const opacity = Math.max(L, S) > 12 ? Math.sqrt : weight => 0.7 * weight;
  paint(canvas, weights, S, () => colour, opacity);
}
