// RoPE: the same turn on a query and a key. Their product knows the distance alone.
import {add, set, shown} from "../kit/nodes.js";
import {show} from "../kit/numbers.js";
import {TURN, addHand, addSlice, open, pointTo} from "./clocks.js";
import {KEY, QUERY, angleOf} from "./state.js";

const VECTORS = {query: QUERY, key: KEY};
const SPACE = 16; // between the two pairs of arrows

// The shorter way round: an angle between −π and π.
const near = angle => (((angle % TURN) + 3 * Math.PI) % TURN) - Math.PI;

// `arrow` is the length of an arrow of 1; the products stand below the arrows, or `beside` them.
export function drawRope(svg, {left, top, arrow, beside}) {
  const lines = beside
    ? ["the same rotation of a query and a key (RoPE)"]
    : ["the same rotation of a query", "and a key (RoPE)"];
  lines.forEach((text, k) => add(svg, "text", {x: left, y: top - 8 + 18 * k, class: "b"}, text));
  const y = top + arrow + 14 + 18 * (lines.length - 1);
  const still = drawPair(svg, "not rotated", [left + arrow, y], arrow);
  const turned = drawPair(svg, "rotated", [left + 3 * arrow + SPACE, y], arrow);
  const first = beside
    ? {x: left + 4 * arrow + SPACE + 44, y: y - 18}
    : {x: left, y: y + arrow + 48};
  const style = `font-size:${beside ? 17 : 15}px`;
  const products = [0, 1, 2].map(k =>
    add(svg, "text", {x: first.x, y: first.y + k * (beside ? 30 : 24), style}),
  );
  const update = ({a, b, carried}, {angles, products: product, further}) => {
    still({query: angleOf(QUERY), key: angleOf(KEY)});
    turned(angles);
    const places = `${further.a} and ${further.b}`;
    set(products[0], {}, `query · key = ${show(product.still)}`);
    set(products[1], {class: "b"}, `rotated, at ${a} and ${b}: ${show(product.turned)}`);
    set(products[2], shown(carried), `both 5 further, at ${places}: ${show(product.further)}`);
  };
  return {update, bottom: y + arrow + (beside ? 24 : 104)};
}

function drawPair(svg, name, centre, arrow) {
  const [x, y] = centre;
  const circle = {cx: x, cy: y, r: arrow, fill: "none", stroke: "currentColor"};
  add(svg, "circle", {...circle, "stroke-opacity": 0.3});
  add(svg, "text", {x, y: y + arrow + 18, class: "m s"}, name);
  const slice = addSlice(svg, 0.6 * arrow);
  const hands = ["query", "key"].map(role => {
    return [role, addHand(svg, role, arrow * Math.hypot(...VECTORS[role]), 5)];
  });
  return angles => {
    for (const [role, hand] of hands) pointTo(hand, centre, angles[role]);
    open(slice, centre, angles.query, angles.query + near(angles.key - angles.query));
  };
}
