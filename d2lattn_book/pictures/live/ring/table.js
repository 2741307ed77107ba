// Queries × keys: a block for each rank and each block that comes by, with its round.
import {grid} from "../kit/cells.js";
import {add, set, shown} from "../kit/nodes.js";
import {scoresOf} from "./explain.js";
import {blockOf, pick} from "./state.js";

const LEAST = 20; // of a cell that has a number beside it
const LONG = 78; // of a block that has room for "16 scores"

const SHADES = {
  "this round": {fill: "var(--weight)", "fill-opacity": 0.75},
  earlier: {fill: "var(--weight)", "fill-opacity": 0.35},
  later: {fill: "currentColor", "fill-opacity": 0.16},
  masked: {fill: "currentColor", "fill-opacity": 0.05},
};

export function tableOf(ranks, size, width) {
  const numbered = (width - 84) / (ranks * size) >= LEAST;
  const left = numbered ? 84 : 58;
  return {left, top: numbered ? 62 : 46, numbered, side: (width - left - 2) / ranks};
}

export function drawTable(svg, {data, act}, width) {
  const {ranks, block_size: size} = data;
  const {left, top, side, numbered} = tableOf(ranks, size, width);
  add(svg, "text", {y: 14, class: "b"}, "scores: query (row) × key (column)");
  const build = (cell, i, j) => {
    const at = {x: left + j * side + 1, y: top + i * side + 1, width: side - 2, height: side - 2};
    add(cell, "rect", {...at, class: "box", rx: 3, "stroke-width": 2.5});
    add(cell, "path");
    const middle = {class: "m", x: at.x + at.width / 2};
    const line = at.y + at.height / 2;
    add(cell, "text", {...middle, y: line - 3});
    add(cell, "text", {...middle, y: line + 15});
    add(cell, "rect", {...at, class: "ring", rx: 3});
  };
  const choose = (i, j) => act(pick, i, j, data);
  const cells = grid(svg, "queries × keys", Array(ranks).fill(ranks), build, choose);
  const names = drawNames(svg, data, {left, top, side, numbered});
  if (!data.deck) drawKey(svg, top + ranks * side + 12);

  return (state, now) => {
    names(now.places);
    cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        const round = blockOf(i, j, ranks);
        look(cell, {round, state, work: now.work[i][j], ranks: [i, j], wide: side});
        set(cell.children[1], {d: squares(now.seen[i][j], left + j * side, top + i * side, side)});
      }),
    );
  };
}

// The cells of a block that are seen, as one path.
function squares(seen, x, y, side) {
  const cell = (side - 4) / seen.length;
  const gap = cell - 1;
  let d = "";
  seen.forEach((row, k) =>
    row.forEach((may, c) => {
      if (may) d += `M${x + 2 + c * cell},${y + 2 + k * cell}h${gap}v${gap}h${-gap}z`;
    }),
  );
  return d || "M0,0";
}

// What is over, what goes on, and what is still to come.
function look(cell, {round, state, work, ranks: [i, j], wide}) {
  const now = round === state.round;
  const came = round <= state.round || !work; // what is skipped is told at once
  const said = work ? scoresOf(work) : "skipped";
  paint(cell, now, came, work);
  const [, , first, second] = cell.children;
  set(first, {class: now ? "m b" : "m"}, `round ${round}`);
  set(second, {}, came ? (wide < LONG && work) || said : "");
  const label = `rank ${i}, keys of rank ${j}: round ${round}${came ? `, ${said}` : ""}`;
  set(cell, {"aria-label": label, tabindex: now && i === state.rank ? 0 : -1});
}

function paint(cell, now, came, work) {
  const [box, path] = cell.children;
  set(path, SHADES[now ? "this round" : came ? "earlier" : "later"]);
  const dashes = work ? null : "5 4";
  set(box, {stroke: now ? "currentColor" : "none", "stroke-dasharray": dashes});
}

// What the shades say.
function drawKey(svg, y) {
  let x = 2;
  for (const [name, looks] of Object.entries(SHADES)) {
    add(svg, "rect", {x, y, width: 14, height: 14, rx: 2, ...looks});
    add(svg, "text", {x: x + 18, y: y + 12}, name);
    x += 30 + 7.6 * name.length;
  }
}

function drawNames(svg, {ranks, block_size: size, deck}, {left, top, side, numbered}) {
  const cell = (side - 4) / size;
  const each = Array.from({length: ranks}, (_, rank) => rank);
  const middle = rank => (rank + 0.5) * side;
  for (const rank of each) {
    const above = {class: "m", x: left + middle(rank), y: top - (numbered ? 24 : 8)};
    add(svg, "text", above, `rank ${rank}`);
    add(svg, "text", {x: 0, y: top + middle(rank) + 5}, `rank ${rank}`);
  }
  if (!numbered) return () => {};
  const numbers = each.map(rank =>
    Array.from({length: size}, (_, k) => {
      const at = rank * side + 2 + (k + 0.5) * cell;
      const ends = shown(!deck || k % (size - 1) === 0); // large numbers would touch each other
      const column = add(svg, "text", {class: "m", x: left + at, y: top - 5, ...ends});
      return [column, add(svg, "text", {class: "e", x: left - 6, y: top + at + 5})];
    }),
  );
  return places =>
    numbers.forEach((row, rank) =>
      row.forEach((pair, k) => pair.forEach(node => set(node, {}, places[rank][k]))),
    );
}
