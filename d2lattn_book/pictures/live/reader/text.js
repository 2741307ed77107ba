// The text, a word beside the other: above each word the weight that it takes.
import {strip} from "../kit/cells.js";
import {alter} from "../kit/figure.js";
import {add, set} from "../kit/nodes.js";
import {show} from "../kit/numbers.js";

const TALL = 42; // of a weight of 1

// Cells are added and taken away at the end, so that those that stay glide.
export function drawText(live, {data, act}) {
  const {vocabulary} = data;
  const title = add(live, "div", {class: "caption"});
  const build = cell => {
    add(add(cell, "span", {class: "room"}), "i");
    for (const tag of ["b", "small"]) add(cell, tag);
  };
  const place = add(live, "div", {class: "text glides"});
  const words = strip(place, "tokens: which one is the query?", build, asks => act(alter, {asks}));

  return ({layer, head}, {tokens, asks, weights}) => {
    const who = asks === null ? "" : vocabulary[tokens[asks]];
    const how = `head ${head} of layer ${layer}: the taller a bar, the larger the weight`;
    set(title, {}, who && `query “${who}”, ${how}`);
    words(tokens.length, asks, (cell, j) => {
      const [space, word, weight] = cell.children;
      const later = j > asks;
      const asked = j === asks;
      const name = vocabulary[tokens[j]];
      set(space.firstChild, {style: `height:${later ? 0 : TALL * weights[j]}px`});
      set(word, {}, name);
      set(weight, {}, later ? "–" : show(weights[j]));
      const says = later ? "hidden by the mask" : `attention weight ${weight.textContent}`;
      return [`${name}${asked ? ", the query" : ""}, ${says}`, asked ? "asks" : later && "later"];
    });
  };
}
