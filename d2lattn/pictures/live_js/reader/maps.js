// Every head of every layer as a small map: rows ask, columns answer. Rows of the last step are in
// colour, those that the cache kept are grey. A head can be switched off.
import {grid} from "../kit/cells.js";
import {control} from "../kit/controls.js";
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
    "every head of every layer, to choose: rows ask, columns answer",
  );
  const build = (cell, n, h) => {
    const frame = add(cell, "div", {class: "frame"});
    add(frame, "canvas", {"aria-hidden": "true"});
    add(frame, "div", {class: "row"});
    add(cell, "span", {}, `${n + 1}.${h + 1}`);
  };
  const lengths = Array(layers).fill(heads);
  const cells = grid(side, "layers and heads", lengths, build, (n, h) => act(show, n, h));
  const {layer: n, head: h} = first;
  set(cells[0][0], {tabindex: -1});
  set(cells[n][h], {tabindex: 0});
  let shown = first;
  const bar = add(side, "div", {class: "bar"});
  const change = () => act(toggle, shown.layer, shown.head);
  const on = control(bar, "head", {type: "checkbox"}, change);
  const legend = add(bar, "span", {class: "s"});

  return (state, now) => {
    shown = state;
    const {layer, head, off, kept} = state;
    const {tokens, maps, asks} = now;
    on.parentNode.firstChild.data = `head ${head + 1} of layer ${layer + 1} is on`;
    on.checked = !off[layer][head];
    set(legend, {}, legendOf(kept, tokens.length));
    cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        const chosen = i === layer && j === head;
        const silent = off[i][j];
        const name = `${i + 1}.${j + 1}: layer ${i + 1}, head ${j + 1}`;
        const says = `${chosen ? ", shown" : ""}${silent ? ", off" : ""}`;
        set(cell, {"aria-label": name + says, class: classOf(chosen, silent)});
        set(cell.lastChild, {}, `${i + 1}.${j + 1}${silent ? " off" : ""}`);
        if (asks === null) return;
        const [canvas, frame] = cell.firstChild.children;
        paint(
          canvas,
          maps[i].map(one => one[j]),
          kept,
          data.roles.weight,
        );
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
  return `computed: ${length - kept} ${length - kept === 1 ? "row" : "rows"}; grey, kept: ${kept}`;
}

function paint(canvas, rows, kept, colour) {
  const size = rows.length;
  const tint = colour.match(/\w\w/g).map(part => parseInt(part, 16));
  if (canvas.width !== size) set(canvas, {width: size, height: size});
  const picture = new ImageData(size, size);
  rows.forEach((row, i) =>
    row.forEach((share, j) => {
      const opacity = 255 * Math.sqrt(share) * (i < kept ? 0.6 : 1);
      picture.data.set([...(i < kept ? GREY : tint), opacity], 4 * (i * size + j));
    }),
  );
  canvas.getContext("2d").putImageData(picture, 0, 0);
}
