// The tokens of an image: its patches where they are in it, and above them those that are none. The
// patch with the query's largest attention weight is as it is, others are darker in proportion.
import {grid} from "../kit/cells.js";
import {alter} from "../kit/figure.js";
import {add, set, shown} from "../kit/nodes.js";
import {show} from "../kit/numbers.js";
import {ask, hover} from "./state.js";

const LARGEST = 400; // pixels of the image
const TOKEN = {y: 22, width: 62, height: 22, rx: 5}; // one that is no patch
const BELOW = 50; // where patches begin
const DARK = 0.85; // over a patch without weight

const cellOf = ({image: {rows, columns}}, width) =>
  Math.min(width - 4, LARGEST) / Math.max(rows, columns);

export const reach = (data, width) => BELOW + cellOf(data, width) * data.image.rows + 20;

export function drawPatches(svg, {data, act, width}) {
  const {tokens, image} = data;
  const {rows, columns, href} = image;
  const cell = cellOf(data, width);
  const before = tokens.length - rows * columns;
  const size = {x: 2, y: BELOW, width: cell * columns, height: cell * rows};
  add(svg, "image", {...size, href, preserveAspectRatio: "none"});
  add(svg, "text", {y: 14, class: "s"}, "query");
  const told = "brightness: attention weight ÷ this query's largest";
  add(svg, "text", {y: BELOW + size.height + 14, class: "s"}, told);
  const first = before ? 0 : 1; // no line without a token
  const lengths = [before, ...Array(rows).fill(columns)].slice(first);
  const number = (i, j) => (i + first ? before + (i + first - 1) * columns : 0) + j;
  const build = (node, line, j) => {
    const i = line + first;
    const patch = {x: 2 + j * cell, y: BELOW + (i - 1) * cell, width: cell, height: cell};
    const at = i ? patch : {...TOKEN, x: 2 + j * (TOKEN.width + 4)};
    add(node, "rect", {...at, fill: i ? "#000" : "var(--weight)"});
    add(node, "rect", {...at, fill: "none", stroke: "var(--query)", "stroke-width": 3});
    add(node, "rect", {...at, class: "ring"});
    if (!i) add(node, "text", {x: at.x + TOKEN.width / 2, y: 38, class: "m t"}, tokens[j]);
    node.addEventListener("pointermove", () => act(hover, number(line, j), null));
    node.addEventListener("pointerleave", () => act(alter, {over: null}));
  };
  const cells = grid(svg, "query", lengths, build, (i, j) => act(ask, number(i, j))).flat();
  return (_, {asks, weights}) => {
    const most = Math.max(...weights) || 1;
    cells.forEach((node, k) => {
      const label = `${tokens[k]}${k === asks ? ", the query" : ""}: attention weight `;
      set(node, {"aria-label": label + show(weights[k]), tabindex: k === asks ? 0 : -1});
      const part = weights[k] / most;
      set(node.children[0], {"fill-opacity": k < before ? 0.6 * part : DARK * (1 - part)});
      set(node.children[1], shown(k === asks));
    });
  };
}
