// The words as they come; below, what every kind keeps, as bars, and who can still be seen.
import {strip} from "../kit/cells.js";
import {all, alter} from "../kit/figure.js";
import {add, set} from "../kit/nodes.js";
import {nameOf, whole} from "./explain.js";
import {drawMap} from "./map.js";
import {go} from "./state.js";

export const STYLE = `
.words [role=gridcell] { padding: 2px 10px; border-width: 2.5px; min-width: 44px; text-align: center; }
.words .kept { background: color-mix(in srgb, var(--key) 30%, transparent); }
.words .overlaid { background: color-mix(in srgb, var(--value) 30%, transparent); }
.words .dropped { text-decoration: line-through; }
.words .dropped, .words .later { opacity: .75; border: 1.5px dashed; }
.kinds { flex: 1 1 330px; min-width: 0; }
.seen { flex: 1 1 330px; max-width: 400px; min-width: 0; }
.kinds [role=row] { display: block; }
.kinds [role=gridcell] {
  display: grid; grid-template-columns: minmax(92px, 150px) 1fr 112px; gap: 10px;
  align-items: center; padding: 3px 8px; line-height: 1.25; min-height: 46px;
}
.shown { border-color: currentColor; }
.kinds i { height: 24px; background: var(--key); }
.kinds .state i { background: var(--value); }
.kinds b { font-weight: inherit; text-align: right; }
.kinds small { display: block; font-size: 14px; font-weight: 400; }
@media (max-width: 500px) { .kinds [role=gridcell] { grid-template-columns: 108px 1fr 88px; } }
@media (prefers-reduced-motion: no-preference) { .kinds i { transition: width 220ms ease-out; } }
`;

export function draw(live, figure) {
  const words = drawWords(live, figure);
  const below = add(live, "div", {class: "below"});
  return all(words, drawBars(below, figure), drawMap(below, figure));
}

const SAID = {
  kept: "in the cache",
  dropped: "evicted",
  overlaid: "summed into the state",
  later: "not read yet",
};

// To pick a word is to let the words come up to it.
function drawWords(live, {data, act}) {
  const {tokens} = data;
  const place = add(live, "div", {class: "words"});
  const build = (cell, _, j) => set(cell, {}, tokens[j]);
  const name = "tokens: which one is the newest?";
  const update = strip(place, name, build, j => act(go, j + 1, data));
  return ({read}, {last}) =>
    update(tokens.length, read - 1, (_, j) => {
      const asks = j === read - 1;
      const label = `${tokens[j]}: ${asks ? "the query, " : ""}${SAID[last[j]]}`;
      return [label, last[j] + (asks ? " asks" : "")];
    });
}

function drawBars(below, {data, act}) {
  const {kinds, sizes} = data;
  const side = add(below, "div", {class: "kinds"});
  const title = "bytes in the cache (tokens × bytes per token), by kind of attention: choose one";
  add(side, "div", {class: "caption"}, title);
  const build = (cell, k) => {
    add(cell, "span", {}, nameOf(kinds[k], sizes));
    add(add(cell, "span"), "i");
    const number = add(cell, "b");
    add(number, "span");
    add(number, "small");
  };
  const pick = k => act(alter, {kind: kinds[k]});
  const update = strip(add(side, "div"), "kinds of attention", build, pick, true);
  return ({kind}, {all: kept, most}) =>
    update(kinds.length, kinds.indexOf(kind), (cell, k) => {
      const {rows, each, bytes} = kept[k];
      const [, track, number] = cell.children;
      const sum = kinds[k] === "state" ? "constant" : `${rows} × ${whole(each)}`;
      set(track.firstChild, {style: `width:${(100 * bytes) / most}%`});
      set(number.firstChild, {}, whole(bytes));
      set(number.lastChild, {}, sum);
      const label = `${nameOf(kinds[k], sizes)}: ${whole(bytes)} bytes, ${sum}`;
      const role = kinds[k] === "state" ? "state" : "";
      return kinds[k] === kind ? [`${label}, shown`, `${role} shown`.trim()] : [label, role];
    });
}
