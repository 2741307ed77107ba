// The ranks in a circle: the words whose queries a rank has, and the block of keys that it holds.
import {add, set} from "../kit/nodes.js";
import {put} from "../kit/motion.js";
import {scoresOf} from "./explain.js";

const HIGH = 106; // of a rank
const APART = 26; // one rank from the one below it
const ACROSS = 52; // and from the one beside it
const CHIP = 48;

export const heightOf = ranks => 24 + Math.ceil(ranks / 2) * (HIGH + APART) - APART;

// Along the top, down the right side and up the left; an odd one stands below, in the middle.
export function placeOf(rank, ranks, width) {
  const wide = (width - ACROSS) / 2;
  const half = Math.floor(ranks / 2);
  const right = rank >= 1 && rank <= half;
  const middle = ranks % 2 === 1 && rank === half + 1;
  const row = right ? rank - 1 : middle ? half : (ranks - rank) % ranks;
  const x = middle ? (width - wide) / 2 : right ? width - wide : 0;
  return {x, y: 24 + row * (HIGH + APART), wide};
}

// As many places as there is room for; from the first to the last where all lie together.
const few = places =>
  places.at(-1) - places[0] === places.length - 1 && places.length > 1
    ? `${places[0]}–${places.at(-1)}`
    : (places.length > 4 ? [...places.slice(0, 2), "…", places.at(-1)] : places).join(" ");

export function drawRanks(svg, {ranks}, width) {
  const at = Array.from({length: ranks}, (_, rank) => placeOf(rank, ranks, width));
  add(svg, "text", {y: 14, class: "b"}, "the ring: keys and values rotate");
  at.forEach((from, rank) => drawArrow(svg, from, at[(rank + 1) % ranks]));
  const boxes = at.map((place, rank) => drawRank(svg, place, rank));
  const chips = at.map((place, rank) => drawChip(svg, place.wide - 12, rank));

  return ({round}, {places, done}) => {
    const {blocks, scores} = done[round];
    boxes.forEach(({frame, queries, status}, rank) => {
      const idle = scores[rank] === 0;
      set(frame, {"stroke-dasharray": idle ? "5 4" : null, "fill-opacity": idle ? 0 : 0.05});
      set(queries, {}, few(places[rank]));
      set(status, {}, idle ? "idle" : scoresOf(scores[rank]));
    });
    blocks.forEach((block, rank) => {
      const {node, box, keys} = chips[block];
      put(node, at[rank].x + 6, at[rank].y + HIGH - CHIP - 6);
      set(box, {"stroke-dasharray": scores[rank] ? null : "5 4"});
      set(box, {"fill-opacity": scores[rank] ? 0.3 : 0.08});
      set(keys, {}, few(places[block]));
    });
  };
}

function drawRank(svg, {x, y, wide}, rank) {
  const looks = {fill: "currentColor", stroke: "currentColor", "stroke-width": 1.5};
  const frame = add(svg, "rect", {x, y, width: wide, height: HIGH, rx: 8, ...looks});
  add(svg, "text", {x: x + 8, y: y + 19, class: "b"}, `rank ${rank}`);
  const status = add(svg, "text", {x: x + wide - 8, y: y + 19, class: "e"});
  add(svg, "text", {x: x + 8, y: y + 42}, "queries");
  const bar = {x: x + 70, y: y + 46, width: wide - 78, height: 2.5, fill: "var(--query)"};
  add(svg, "rect", bar);
  const queries = add(svg, "text", {x: x + 70, y: y + 42});
  return {frame, queries, status};
}

function drawChip(svg, wide, block) {
  const node = add(svg, "g");
  const looks = {fill: "var(--key)", stroke: "var(--key)", "stroke-width": 2, rx: 6};
  const box = add(node, "rect", {width: wide, height: CHIP, ...looks});
  add(node, "text", {x: 8, y: 19}, `keys of rank ${block}`);
  return {node, box, keys: add(node, "text", {x: 8, y: 39})};
}

// From the edge of a rank to the edge of the next: across, or where one stands over the other.
function drawArrow(svg, from, to) {
  const flat = from.y === to.y;
  const way = Math.sign(flat ? to.x - from.x : to.y - from.y);
  const over = (Math.max(from.x, to.x) + Math.min(from.x + from.wide, to.x + to.wide)) / 2;
  const [x, y] = flat
    ? [from.x + (way > 0 ? from.wide : 0), from.y + HIGH / 2]
    : [over, from.y + (way > 0 ? HIGH : 0)];
  const long = (flat ? ACROSS : APART) - 4;
  const line = {stroke: "currentColor", "stroke-width": 2, "stroke-opacity": 0.6, fill: "none"};
  const d = `M4,0H${long}M${long - 8},-5L${long},0L${long - 8},5`;
  const turn = flat ? 90 - 90 * way : 90 * way;
  add(svg, "path", {...line, d, transform: `translate(${x},${y})rotate(${turn})`});
}
