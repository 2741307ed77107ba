// The text, a word beside the other: above each word the share that who asks gives it.
import {grid} from "../kit/cells.js";
import {alter} from "../kit/figure.js";
import {add, set} from "../kit/nodes.js";
import {show} from "../kit/numbers.js";

const TALL = 42; // of a share of 1

export function drawText(live, {data, act}) {
  const {vocabulary} = data;
  const title = add(live, "div", {class: "caption"});
  const place = add(live, "div", {class: "text glides"});
  let cells = [];

  // Cells are added and taken away at the end, so that those that stay glide.
  function build(count) {
    const one = cell => {
      add(add(cell, "span", {class: "room"}), "i");
      for (const tag of ["b", "small"]) add(cell, tag);
    };
    place.replaceChildren();
    [cells] = grid(place, "the text: who asks?", [count], one, (_, asks) => act(alter, {asks}));
  }

  return ({layer, head}, {tokens, asks, shares}) => {
    if (cells.length !== tokens.length) build(tokens.length);
    const where = `in head ${head + 1} of layer ${layer + 1}`;
    const who = asks === null ? "" : vocabulary[tokens[asks]];
    set(
      title,
      {},
      who && `“${who}” asks ${where}: the taller a bar, the larger the share it gives`,
    );
    cells.forEach((cell, j) => {
      const [space, word, share] = cell.children;
      const later = j > asks;
      const kind = j === asks ? "asks" : later ? "later" : null;
      const says = later ? "comes later, unseen" : `gets ${show(shares[j])}`;
      const name = vocabulary[tokens[j]];
      set(cell, {class: kind, tabindex: j === asks ? 0 : -1});
      set(cell, {"aria-label": `${name}${j === asks ? ", asks" : ""}, ${says}`});
      set(space.firstChild, {style: `height:${later ? 0 : TALL * shares[j]}px`});
      set(word, {}, name);
      set(share, {}, later ? "–" : show(shares[j]));
    });
  };
}
