// The map of every head of every model: rows ask, columns are asked. One of them is chosen.
import {grid} from "../kit/cells.js";
import {alter, all} from "../kit/figure.js";
import {paint, rgb} from "../kit/map.js";
import {add, lay, set} from "../kit/nodes.js";
import {cut} from "../kit/numbers.js";
import {nameOf} from "./state.js";

const TOP = 40; // names of the model and of its heads
const SIDE = 22; // to the left: the name of the layer
const GAP = 10;
const LARGEST = 176; // of a map

// How high the maps of these models are, in a place so wide and at most so high.
export function highOf({width, height}, parts) {
  const each = (width - (parts.length - 1) * 20) / parts.length;
  const high = part => TOP + part[0] * (tallest({width: each, height}, part) + GAP);
  return Math.max(...parts.map(high));
}

export function drawMaps(place, under, figure, parts) {
  const each = (place.width - (parts.length - 1) * 20) / parts.length;
  return all(
    ...parts.map((one, k) => {
      const x = k * (each + 20);
      return drawModel({...place, x: place.x + x, from: x, width: each}, under, figure, one, k);
    }),
  );
}

const tallest = ({width, height}, [layers, heads]) =>
  Math.floor(
    Math.min(
      LARGEST,
      (width - SIDE) / heads - GAP,
      (height - TOP) / layers - GAP, // and all layers are in sight
    ),
  );

function drawModel(place, {box, size}, figure, [layers, heads], k) {
  const {data, act} = figure;
  const svg = add(place.svg, "g", {transform: `translate(${place.from},0)`});
  const side = tallest(place, [layers, heads]);
  const heading = add(svg, "text", {y: 14, class: "b"});
  const across = h => SIDE + h * (side + GAP);
  const down = n => TOP + n * (side + GAP);
  for (let h = 0; h < heads; h++) {
    const middle = across(h) + side / 2;
    add(svg, "text", {class: "m s", x: middle, y: 33}, side < 60 ? h : `head ${h}`);
  }
  for (let n = 0; n < layers; n++) {
    const at = `translate(14,${down(n) + side / 2})rotate(-90)`;
    add(svg, "text", {class: "m s", transform: at}, side < 60 ? n : `layer ${n}`);
  }
  const canvases = [];
  const build = (cell, n, h) => {
    const at = {x: across(h), y: down(n), width: side, height: side};
    const canvas = add(box, "canvas", {"aria-hidden": "true"});
    box.prepend(canvas); // under the drawing, which is what a hand touches
    lay(canvas, {...at, x: place.x + at.x, y: place.y + at.y}, size);
    canvases.push([canvas, n, h]);
    add(cell, "rect", {...at, class: "box", stroke: "currentColor", "stroke-opacity": 0.35});
    add(cell, "rect", {x: at.x, width: side, class: "asked", fill: "none"});
    add(cell, "rect", {...at, x: at.x - 3, y: at.y - 3, ...grown(side), class: "ring", rx: 4});
  };
  const lengths = Array(layers).fill(heads);
  const cells = grid(svg, `maps of model ${k + 1}`, lengths, build, (layer, head) =>
    act(alter, {layer, head, model: k}),
  );
  const colour = rgb(data.roles.weight);

  return (state, {models, words}) => {
    const {maps, at} = models[k];
    const L = words.length;
    const name = state.change ? nameOf(state, k) : "attention weights";
    const title = k ? name : `${name}, query × key`;
    set(heading, {}, cut(title, Math.floor(place.width / 8)));
    for (const [canvas, n, h] of canvases) {
      paint(
        canvas,
        Array.from(maps[n][h]),
        L,
        () => colour,
        weight => weight,
      );
    }
    cells.forEach((row, n) =>
      row.forEach((cell, h) => {
        const chosen = n === at[0] && h === at[1];
        const [frame, asked] = cell.children;
        set(frame, {"stroke-width": chosen ? 2.5 : 1, "stroke-opacity": chosen ? 0.9 : 0.35});
        const line = {y: down(n) + (state.asks / L) * side, height: side / L};
        set(asked, {...line, stroke: "var(--query)", "stroke-width": 1.5});
        const seen = `${words[state.asks]} is the query, its row is framed`;
        const label = `layer ${n}, head ${h}${chosen ? ", chosen" : ""}: ${seen}`;
        set(cell, {"aria-label": label, tabindex: chosen ? 0 : -1});
      }),
    );
  };
}

const grown = side => ({width: side + 6, height: side + 6});
