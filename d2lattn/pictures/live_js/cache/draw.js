// The words as they come; below, what every kind keeps, as bars, and who can still be seen.
import {grid} from "../kit/cells.js";
import {alter} from "../kit/figure.js";
import {add, set} from "../kit/nodes.js";
import {nameOf, whole} from "./explain.js";
import {drawMap} from "./map.js";
import {go} from "./state.js";

export const STYLE = `
.hint { font-size: 14px; }
.caption { margin: 6px 0 4px; }
.words [role=row] { display: flex; flex-wrap: wrap; gap: 4px; }
.words [role=gridcell] {
  padding: 2px 10px; border-radius: 6px; border: 2.5px solid transparent; min-width: 44px;
  text-align: center;
}
.words .kept { background: color-mix(in srgb, var(--key) 30%, transparent); }
.words .overlaid { background: color-mix(in srgb, var(--value) 30%, transparent); }
.words .dropped { text-decoration: line-through; opacity: .75; }
.words .dropped, .words .later { border: 1.5px dashed color-mix(in srgb, currentColor 55%, transparent); }
.words .later { opacity: .75; }
.words .asks { border-color: var(--query); font-weight: 600; }
.words [role=gridcell]:focus-visible, .kinds [role=gridcell]:focus-visible {
  outline: 2px solid currentColor; outline-offset: 1px;
}
.below { display: flex; flex-wrap: wrap; gap: 4px 28px; align-items: flex-start; }
.kinds { flex: 1 1 330px; min-width: 0; }
.seen { flex: 1 1 330px; max-width: 400px; min-width: 0; }
.kinds [role=gridcell] {
  display: grid; grid-template-columns: minmax(92px, 150px) 1fr 112px; gap: 10px;
  align-items: center; padding: 3px 8px; border-radius: 6px; border: 2px solid transparent;
  line-height: 1.25; min-height: 46px;
}
.kinds .shown { border-color: currentColor; font-weight: 600; }
.kinds i {
  display: block; height: 24px; background: var(--key); print-color-adjust: exact;
}
.kinds .state i { background: var(--value); }
.kinds b { font-weight: inherit; text-align: right; }
.kinds small { display: block; font-size: 14px; font-weight: 400; }
@media (max-width: 500px) { .kinds [role=gridcell] { grid-template-columns: 108px 1fr 88px; } }
@media (prefers-reduced-motion: no-preference) { .kinds i { transition: width 220ms ease-out; } }
`;

export function draw(live, figure) {
  const words = drawWords(live, figure);
  const below = add(live, "div", {class: "below"});
  const bars = drawBars(below, figure);
  const map = drawMap(below, figure);
  return (state, now) => {
    words(state, now);
    bars(state, now);
    map(state, now);
  };
}

const SAID = {
  kept: "kept",
  dropped: "let go",
  overlaid: "overlaid with the others",
  later: "not read yet",
};

// To pick a word is to let the words come up to it.
function drawWords(live, {data, act}) {
  const {tokens} = data;
  const place = add(live, "div", {class: "words"});
  const build = (cell, _, j) => set(cell, {}, tokens[j]);
  const name = "the words: which one is the newest?";
  const pick = (_, j) => act(go, j + 1, data);
  const [cells] = grid(place, name, [tokens.length], build, pick);
  return ({read}, {last}) => {
    cells.forEach((cell, j) => {
      const asks = j === read - 1;
      const label = `${tokens[j]}: ${asks ? "asks, " : ""}${SAID[last[j]]}`;
      const tabindex = asks ? 0 : -1;
      set(cell, {"aria-label": label, class: last[j] + (asks ? " asks" : ""), tabindex});
    });
  };
}

function drawBars(below, {data, act}) {
  const {kinds, sizes} = data;
  const side = add(below, "div", {class: "kinds"});
  add(side, "div", {class: "caption"}, "what each kind keeps, in bytes: choose one");
  const build = (cell, k) => {
    add(cell, "span", {}, nameOf(kinds[k], sizes));
    add(add(cell, "span"), "i");
    const number = add(cell, "b");
    add(number, "span");
    add(number, "small");
  };
  const pick = k => act(alter, {kind: kinds[k]});
  const rows = grid(
    side,
    "kinds of attention",
    kinds.map(() => 1),
    build,
    pick,
  );
  return ({kind}, {all, most}) => {
    rows.forEach(([cell], k) => {
      const {rows: count, each, bytes} = all[k];
      const [, track, number] = cell.children;
      const chosen = kinds[k] === kind;
      const sum = kinds[k] === "state" ? "always" : `${count} × ${whole(each)}`;
      set(track.firstChild, {style: `width:${(100 * bytes) / most}%`});
      set(number.firstChild, {}, whole(bytes));
      set(number.lastChild, {}, sum);
      const label = `${nameOf(kinds[k], sizes)}: ${whole(bytes)} bytes, ${sum}`;
      const role = kinds[k] === "state" ? "state" : "";
      set(cell, {"aria-label": label + (chosen ? ", shown" : ""), tabindex: chosen ? 0 : -1});
      set(cell, {class: `${role}${chosen ? " shown" : ""}`.trim() || null});
    });
  };
}
