// The sentence from top to bottom: a click lets a word ask. Each weight is a piece of the line that
// carries it on the map, so that one sees what thickness means.
import {strip} from "../kit/cells.js";
import {add, set} from "../kit/nodes.js";
import {show} from "../kit/numbers.js";
import {THICK} from "./plane.js";
import {ask} from "./state.js";

export function drawList(box, {data, act}) {
  const {vocabulary, axes} = data;
  const side = add(box, "div", {class: "list"});
  const title = add(side, "div", {class: "told"});
  const build = cell => {
    for (const tag of ["span", "i", "b"]) add(cell, tag);
  };
  const pick = asks => act(ask, asks, vocabulary);
  const rows = strip(add(side, "div"), "tokens: which one is the query?", build, pick, true);
  const out = add(side, "p");
  add(out, "span", {class: "out", "aria-hidden": "true"}, "◆ ");
  const after = add(out, "span");

  return (_, {tokens, asks, word, weights, after: [right, up] = []}) => {
    const none = asks === null;
    const asking = `${vocabulary[word]} is the query. The thicker a line, the larger its weight.`;
    set(title, {}, none ? "" : asking);
    set(out, {hidden: none ? "" : null});
    rows(tokens.length, asks, (cell, j) => {
      const [name, line, weight] = cell.children;
      const told = show(weights[j]);
      set(name, {}, vocabulary[tokens[j]]);
      set(line, {style: `height:${THICK * weights[j]}px`});
      set(weight, {}, told);
      const asked = j === asks;
      return [`${name.textContent}${asked ? " (query)" : ""}, weight ${told}`, asked && "asks"];
    });
    const place = `${axes[0]} ${show(right)}, ${axes[1]} ${show(up)}`;
    if (!none) set(after, {}, `output of ${vocabulary[word]}: ${place}`);
  };
}
