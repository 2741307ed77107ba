// The sentence from top to bottom: a click lets a word ask. Each share is a piece of the line that
// carries it on the map, so that one sees what thickness means.
import {grid} from "../kit/cells.js";
import {add, set} from "../kit/nodes.js";
import {show} from "../kit/numbers.js";
import {THICK} from "./plane.js";
import {ask} from "./state.js";

export function drawList(box, {data, act}) {
  const {vocabulary, axes} = data;
  const side = add(box, "div", {class: "list"});
  const title = add(side, "div", {class: "told"});
  const rows = add(side, "div");
  const out = add(side, "p");
  add(out, "span", {class: "out", "aria-hidden": "true"}, "◆ ");
  const after = add(out, "span");
  let cells = [];
  let built = null; // the words that have cells

  function build(tokens) {
    const row = (cell, j) => {
      add(cell, "span", {}, vocabulary[tokens[j]]);
      add(cell, "i");
      add(cell, "b");
    };
    rows.replaceChildren();
    const pick = asks => act(ask, asks, vocabulary);
    const lengths = tokens.map(() => 1);
    cells = grid(rows, "the sentence: who asks?", lengths, row, pick).map(([cell]) => cell);
    built = String(tokens);
  }

  return ({tokens, asks, word, shares, after: [right, up] = []}) => {
    if (built !== String(tokens)) build(tokens);
    const none = asks === null;
    const asking = `${vocabulary[word]} asks. The thicker a line, the larger the share that the word gives.`;
    set(title, {}, none ? "" : asking);
    set(out, {hidden: none ? "" : null});
    if (none) return;
    const place = `${axes[0]} ${show(right)}, ${axes[1]} ${show(up)}`;
    set(after, {}, `what comes out for ${vocabulary[word]}: ${place}`);
    cells.forEach((cell, j) => {
      const [, line, share] = cell.children;
      const says = j === asks ? "asks, keeps" : "gives";
      set(cell, {
        class: j === asks ? "asks" : null,
        tabindex: j === asks ? 0 : -1,
        "aria-label": `${vocabulary[tokens[j]]} ${says} ${show(shares[j])}`,
      });
      set(line, {style: `height:${THICK * shares[j]}px`});
      set(share, {}, show(shares[j]));
    });
  };
}
