// RoPE: the same turn on a query and a key. Their product knows the distance alone.
import {add, set} from "../kit/nodes.js";
import {show} from "../kit/numbers.js";
import {TURN, pointTo, wedge} from "./clocks.js";
import {KEY, QUERY} from "./state.js";

const ARROW = 52; // the length of an arrow of 1
const SLICE = 30;
const VECTORS = {query: QUERY, key: KEY};

const angleOf = ([x, y]) => Math.atan2(y, x);

// The shorter way round: an angle between −π and π.
const near = angle => (((angle % TURN) + 3 * Math.PI) % TURN) - Math.PI;

export function drawRope(svg, left, top) {
  const y = top + 84;
  ["the same turn on a query", "and a key (RoPE)"].forEach((text, k) => {
    add(svg, "text", {x: left, y: top - 8 + 18 * k, class: "b"}, text);
  });
  const still = drawPair(svg, "as they are", [left + ARROW, y]);
  const turned = drawPair(svg, "turned", [left + 3 * ARROW + 16, y]);
  const products = [48, 72, 96].map(offset =>
    add(svg, "text", {x: left, y: y + ARROW + offset, style: "font-size:15px"}),
  );
  const update = ({p, q}, {speed, products: product, further}) => {
    still({query: angleOf(QUERY), key: angleOf(KEY)});
    turned({query: angleOf(QUERY) + p * speed, key: angleOf(KEY) + q * speed});
    const places = `${further.p} and ${further.q}`;
    set(products[0], {}, `query · key = ${show(product.still)}`);
    set(products[1], {class: "b"}, `turned, at ${p} and ${q}: ${show(product.turned)}`);
    set(products[2], {}, `five on, at ${places}: ${show(product.further)}`);
  };
  return {update, bottom: y + ARROW + 104};
}

function drawPair(svg, name, centre) {
  const [x, y] = centre;
  const circle = {cx: x, cy: y, r: ARROW, fill: "none", stroke: "currentColor"};
  const arrow = {x1: x, y1: y, "stroke-width": 5, "stroke-linecap": "round"};
  add(svg, "circle", {...circle, "stroke-opacity": 0.3});
  add(svg, "text", {x, y: y + ARROW + 18, class: "m s"}, name);
  const slice = add(svg, "path", {fill: "var(--weight)", "fill-opacity": 0.4});
  const lines = ["query", "key"].map(role => {
    return [role, add(svg, "line", {...arrow, stroke: `var(--${role})`})];
  });
  return angles => {
    for (const [role, node] of lines) {
      pointTo(node, centre, angles[role], ARROW * Math.hypot(...VECTORS[role]));
    }
    const to = angles.query + near(angles.key - angles.query);
    set(slice, {d: wedge(centre, angles.query, to, SLICE)});
  };
}
