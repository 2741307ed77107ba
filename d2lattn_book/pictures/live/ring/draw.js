// The ring and, below it, the time that it takes; beside them, or under, the table.
import {all} from "../kit/figure.js";
import {WIDE, add, fit, stage} from "../kit/nodes.js";
import {drawLanes, heightOf as lanesHigh} from "./lanes.js";
import {drawRanks, heightOf as ranksHigh} from "./ranks.js";
import {drawTable, tableOf} from "./table.js";

export const STYLE = `
[role=gridcell] > :is(text, path) { pointer-events: none; }
`;
const BESIDE = 438; // the width of the ring where the table stands beside it
const GAP = 26;

export const sizes = () => [340, WIDE];

export function draw(live, figure) {
  const {width, data} = figure;
  const {ranks, block_size: size} = data;
  const wide = width === WIDE;
  const svg = add(stage(live), "svg", {class: "glides"});
  const ring = wide ? BESIDE : width;
  const table = wide ? width - BESIDE - GAP : width;
  const part = (x, y) => add(svg, "g", {transform: `translate(${x},${y})`});
  const below = ranksHigh(ranks) + 16;
  const bottom = below + lanesHigh(ranks);
  const {top, side} = tableOf(ranks, size, table);
  const parts = [
    drawRanks(part(0, 0), data, ring),
    drawTable(wide ? part(BESIDE + GAP, 0) : part(0, bottom + 8), figure, table),
    drawLanes(part(0, below), data, ring),
  ];
  const high = top + ranks * side + (data.deck ? 4 : 30); // with the key, for which a slide has no room
  fit(svg, width, wide ? Math.max(bottom, high) : bottom + 8 + high);
  return all(...parts);
}
