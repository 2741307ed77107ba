// The drawing of many heads: a strip of small maps; below, the sentence, and beside or under it the
// map of the chosen head.
import {grid} from "../kit/cells.js";
import {alter} from "../kit/figure.js";
import {gliding} from "../kit/motion.js";
import {WIDE, add, fit, lay, set, stage} from "../kit/nodes.js";
import {drawMap, placeOf} from "./map.js";
import {drawSentences, inOneLine, reachOf} from "./sentences.js";
import {mapOf} from "./state.js";

export const sizes = () => [340, 500, 680, WIDE];
const MANY = 8; // more heads than these are drawn smaller

export const STYLE = `
.w { font-size: 11.5px; }
.maps [role=row] { display: flex; flex-wrap: wrap; gap: 4px; margin: 4px 0; }
.maps [role=gridcell] {
  width: 86px; padding: 4px; border-radius: 6px; text-align: center; font-size: 14px;
  border: 2px solid transparent;
}
.maps.many [role=gridcell] { width: 69px; padding: 3px; font-size: 13px; }
.maps .shown { border-color: var(--weight); font-weight: 600; }
.maps [role=gridcell]:focus { outline: 2px solid currentColor; outline-offset: 1px; }
.maps canvas {
  width: 100%; aspect-ratio: 1;
  border: 1px solid color-mix(in srgb, currentColor 35%, transparent);
}
`;

export function draw(live, figure) {
  const {data} = figure;
  const strip = drawStrip(live, figure);
  const box = stage(live);
  const canvas = mapCanvas(box, data);
  const svg = add(box, "svg", {class: "glides"});
  const sentences = drawSentences(svg, figure);
  const {width} = figure;
  const place = placeOf(data, width);
  const map = drawMap(svg, figure, place);
  const short = inOneLine(data.answers, width);
  const height = Math.max(reachOf(data, width), map.bottom);
  fit(svg, width, height, short ? 345 : 436);
  lay(canvas, place, {width, height});
  const show = gliding(shares => paint(canvas, shares, data));

  let painted = null; // step and head that are on the maps
  return (state, now) => {
    const fresh = `${state.step} ${state.head}`;
    if (painted !== fresh) {
      painted = fresh;
      strip(state);
      show(now.map);
      map.write(now.map);
    }
    sentences(state, now);
    map.update(now);
  };
}

// One map for each head. A figure of one head has none to choose from.
function drawStrip(live, {data, act}) {
  const {heads} = data;
  const H = heads.length;
  const kind = H > MANY ? "maps many" : "maps";
  const strip = add(live, "div", {class: kind, hidden: H < 2 ? "" : null});
  const build = (cell, _, h) => {
    mapCanvas(cell, data);
    add(cell, "span", {}, heads[h]);
  };
  const cells = grid(strip, "heads", [H], build, (_, head) => act(alter, {head}))[0];
  const maps = cells.map(cell => gliding(shares => paint(cell.firstChild, shares, data)));
  let painted = null;
  return ({step, head}) => {
    cells.forEach((cell, h) => {
      const chosen = h === head;
      if (H > 1 && painted !== step) maps[h](mapOf(data, step, h));
      const label = chosen ? `${heads[h]}, shown` : heads[h];
      const tabindex = chosen ? 0 : -1;
      set(cell, {"aria-label": label, class: chosen ? "shown" : null, tabindex});
    });
    painted = step;
  };
}

// One pixel for each weight, enlarged by the browser.
function mapCanvas(parent, {shape: [, , L, S]}) {
  return add(parent, "canvas", {width: S, height: L, "aria-hidden": "true"});
}

// Shares of many words are small: their roots are what one can see.
function paint(canvas, map, {shape: [, , L, S], roles}) {
  const [red, green, blue] = roles.weight.match(/\w\w/g).map(part => parseInt(part, 16));
  const opacity = Math.max(L, S) > 12 ? Math.sqrt : share => 0.7 * share;
  const picture = new ImageData(S, L);
  const pixels = picture.data;
  map.forEach((share, k) => {
    pixels[4 * k] = red;
    pixels[4 * k + 1] = green;
    pixels[4 * k + 2] = blue;
    pixels[4 * k + 3] = 255 * opacity(share);
  });
  canvas.getContext("2d").putImageData(picture, 0, 0);
}
