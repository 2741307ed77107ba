// Every head of every layer as a small map: rows ask, columns are asked. Rows of the last step are in
// colour, those that the cache kept are grey. A head can be switched off.
import {grid} from "../kit/cells.js";
import {tick} from "../kit/controls.js";
import {paint, rgb} from "../kit/map.js";
import {add, set} from "../kit/nodes.js";
import {show, toggle} from "./state.js";

const GREY = [128, 128, 128];

export function drawMaps(box, {data, act, state: first}) {
  const {num_layers: layers, num_heads: heads} = data.model.sizes;
  const side = add(box, "div", {class: "maps"});
  add(
    side,
    "div",
    {class: "caption"},
    "attention weights (choose a head): rows are queries, columns keys",
  );
  const build = (cell, n, h) => {
    const frame = add(cell, "div", {class: "frame"});
    add(frame, "canvas", {"aria-hidden": "true"});
    add(frame, "div", {class: "row"});
    add(cell, "span", {}, `${n}.${h}`);
  };
  const lengths = Array(layers).fill(heads);
  const cells = grid(side, "layers and heads", lengths, build, (n, h) => act(show, n, h));
  const {layer: n, head: h} = first;
  const colour = rgb(data.roles.weight);
  set(cells[0][0], {tabindex: -1});
  set(cells[n][h], {tabindex: 0});
  let shown = first;
  const bar = add(side, "div", {class: "bar"});
  const change = () => act(toggle, shown.layer, shown.head);
  const on = tick(bar, "head", change);
  const legend = add(bar, "span", {class: "s"});

  return (state, now) => {
    shown = state;
    const {layer, head, off, kept} = state;
    const {tokens, maps, asks} = now;
    on.parentNode.firstChild.data = `use head ${head} of layer ${layer}`;
    on.checked = !off[layer][head];
    set(legend, {}, legendOf(kept, tokens.length));
    cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        const chosen = i === layer && j === head;
        const silent = off[i][j];
        const name = `${i}.${j}: layer ${i}, head ${j}`;
        const says = `${chosen ? ", shown" : ""}${silent ? ", off" : ""}`;
        set(cell, {"aria-label": name + says, class: classOf(chosen, silent)});
        set(cell.lastChild, {}, `${i}.${j}${silent ? " off" : ""}`);
        if (asks === null) return;
        const [canvas, frame] = cell.firstChild.children;
        const rows = maps[i].map(one => one[j]);
        paintWeights(canvas, rows, kept, colour);
        const part = 100 / tokens.length;
        set(frame, {style: `top:calc(${asks * part}% - 1px);height:calc(${part}% + 2px)`});
      }),
    );
  };
}

const classOf = (chosen, silent) =>
  [chosen && "shown", silent && "off"].filter(Boolean).join(" ") || null;

function legendOf(kept, length) {
  if (!kept) return `computed: all ${length} rows`;
  return `computed: ${length - kept} ${length - kept === 1 ? "row" : "rows"}; grey, from the cache: ${kept}`;
}

// A row ends with its own word: what comes later is unseen.
function paintWeights(canvas, rows, kept, colour) {
  const n = rows.length;
  const weights = rows.flatMap(row => Array.from(rows, (_, j) => row[j] ?? 0));
  const old = k => k < kept * n;
  const opacity = (weight, k) => Math.sqrt(weight) * (old(k) ? 0.6 : 1);
  paint(canvas, weights, n, k => (old(k) ? GREY : colour), opacity);
}
