// The plane: words as points, lines from who asks as thick as its weights, and the diamond.
import {put} from "../kit/motion.js";
import {add, dragged, set, shown, within} from "../kit/nodes.js";
import {show, sum} from "../kit/numbers.js";
import {besides} from "./labels.js";
import {ask, move} from "./state.js";

const WIDTH = 480;
const HEIGHT = 400;
export const THICK = 30; // of a weight of 1
const STEP = 0.1; // of an arrow key
const NEAR = 4; // pixels: words as near as that share a label
const MANY = 8; // units of an axis that can still be numbered
const STILL = 3; // pixels that a click may move

const WAYS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};

// From places to pixels and back, alike in both directions.
function scaleOf([low, high]) {
  const [wide, tall] = [0, 1].map(c => high[c] - low[c]);
  const unit = Math.min(WIDTH / wide, HEIGHT / tall);
  const left = (WIDTH - unit * wide) / 2;
  const top = (HEIGHT - unit * tall) / 2;
  const pixels = ([x, y]) => [left + unit * (x - low[0]), top + unit * (high[1] - y)];
  const place = ([right, down]) => [(right - left) / unit + low[0], high[1] - (down - top) / unit];
  const ends = [place([0, HEIGHT]), place([WIDTH, 0])];
  return {pixels, place, ends};
}

export function drawPlane(box, figure) {
  const {vocabulary, frame, axes} = figure.data;
  const svg = add(box, "svg", {class: "plane glides", viewBox: `0 0 ${WIDTH} ${HEIGHT}`});
  const scale = scaleOf(frame);
  const [named, hairs] = drawAxes(svg, scale, axes);
  const press = matchMedia("(pointer: coarse)").matches ? "tap" : "click";
  const hint = {class: "drag e s", x: WIDTH - 4, y: named[1].x < WIDTH / 4 ? 16 : HEIGHT - 5};
  const drag = add(svg, "text", hint, `drag a word; ${press} one: it is the query`);
  const lines = vocabulary.map(() => add(svg, "path", {stroke: "var(--weight)"}));
  const own = add(svg, "circle", {fill: "none", stroke: "var(--weight)"});
  const dashed = {"stroke-width": 2.5, "stroke-dasharray": 5};
  const way = add(svg, "path", {stroke: "var(--output)", ...dashed});
  const dots = vocabulary.map((_, k) => drawDot(svg, figure, scale, k));
  const diamond = add(svg, "path", {d: "M0,-10L9,0L0,10L-9,0Z", fill: "var(--output)"});
  const labels = drawLabels(svg, vocabulary, named, hairs);

  return ({x}, now) => {
    set(drag, shown(x === figure.data.x));
    const at = x.map(scale.pixels);
    const {asks, word, drawn} = now;
    const none = asks === null;
    const after = none ? null : scale.pixels(now.after);
    for (const node of [own, way, diamond]) set(node, shown(!none));
    at.forEach((place, k) => dots[k](place, x[k], now));
    const weights = none ? [] : carried(at, now);
    lines.forEach((line, k) => {
      const seen = weights[k] > 0 && !together(at[k], at[word]);
      set(line, shown(seen));
      if (seen) set(line, {d: between(at[word], at[k]), "stroke-width": THICK * weights[k]});
    });
    labels(at, after, now, weights);
    if (none) return;
    const thick = THICK * sum(drawn.filter((_, k) => together(at[k], at[word])));
    set(own, {cx: at[word][0], cy: at[word][1], r: 9 + thick / 2, "stroke-width": thick});
    set(way, {d: between(at[word], after)});
    set(diamond, {transform: `translate(${after})`});
  };
}

// One line carries the weights of all words that stand together: the first of them draws it.
function carried(at, {drawn}) {
  const first = at.map(place => at.findIndex(other => together(other, place)));
  return at.map((_, k) => (first[k] === k ? sum(drawn.filter((_share, i) => first[i] === k)) : 0));
}

const together = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) < NEAR;
const between = (from, to) => `M${from}L${to}`;

function drawAxes(svg, {pixels, ends: [low, high]}, [right, up]) {
  const hair = {stroke: "currentColor", "stroke-opacity": 0.25};
  const line = (from, to) => ({from: pixels(from), to: pixels(to), thick: 1});
  const hairs = [line([low[0], 0], [high[0], 0]), line([0, low[1]], [0, high[1]])];
  for (const {from, to} of hairs) add(svg, "path", {d: between(from, to), ...hair});
  const [x, y] = pixels([0, 0]);
  const texts = [
    {text: `${right} →`, x: WIDTH - 4, y: y + 38, anchor: "end"},
    {text: `${up} ↑`, x: x + 10, y: 16, anchor: "start"},
  ];
  for (const one of texts) {
    add(svg, "text", {"text-anchor": one.anchor, x: one.x, y: one.y}, one.text);
  }
  const numbers = [
    ...ticks(low[0], high[0]).map(text => {
      return {text, x: pixels([Number(text), 0])[0], y: y + 20, anchor: "middle"};
    }),
    ...ticks(low[1], high[1]).map(text => {
      return {text, x: x - 10, y: pixels([0, Number(text)])[1] + 5, anchor: "end"};
    }),
  ];
  for (const {text, anchor, ...at} of numbers) {
    add(svg, "text", {class: "t", "text-anchor": anchor, "fill-opacity": 0.75, ...at}, text);
  }
  return [[...texts, ...numbers], hairs];
}

// The whole numbers on an axis, but for 0; none where they would crowd.
const ticks = (low, high) =>
  Array.from({length: high - low > MANY ? 0 : Math.floor(high)}, (_, i) => `${i + 1}`);

// A word that can be dragged, moved by the arrows, and asked to ask.
function drawDot(svg, {data, act}, {pixels, place}, k) {
  const word = data.vocabulary[k];
  const dot = add(svg, "g", {class: "dot", role: "button"});
  add(dot, "circle", {r: 24, fill: "transparent"});
  const point = add(dot, "circle", {r: 6.5});
  add(dot, "circle", {r: 12, class: "ring"});
  let query = null;
  const choose = () => query !== null && act(ask, query, data.vocabulary);
  const carry = to => act(move, k, to, data.frame);
  let now = [0, 0];
  drags(svg, dot, {from: () => pixels(now), to: at => carry(place(at)), click: choose});
  dot.addEventListener("keydown", event => {
    const step = !event.defaultPrevented && WAYS[event.key];
    if (step) carry(now.map((value, c) => value + STEP * step[c]));
    else if (event.key === "Enter" || event.key === " ") choose();
    else return;
    event.preventDefault();
  });
  return (at, where, {tokens, asks, word: asking}) => {
    now = where;
    query = tokens.includes(k) ? tokens.indexOf(k) : null;
    const inside = query !== null;
    const axes = data.axes.map((name, c) => `${name} ${show(where[c])}`).join(", ");
    const role = asks !== null && k === asking ? ", the query" : "";
    set(dot, {
      transform: `translate(${at})`,
      tabindex: inside ? 0 : -1,
      "aria-label": `${word}${role}: ${axes}. Arrows move it, Enter makes it the query.`,
    });
    set(point, {fill: role ? "var(--query)" : "currentColor", "fill-opacity": inside ? 1 : 0.45});
  };
}

// `from` is where the dot stands; what only touches it is a click.
function drags(svg, dot, {from, to, click}) {
  const start = event => {
    const [right, down] = within(svg, event);
    const [x, y] = from();
    return {right, down, off: [x - right, y - down], moved: false};
  };
  const carry = (event, held) => {
    const [right, down] = within(svg, event);
    held.moved ||= Math.hypot(right - held.right, down - held.down) > STILL;
    if (!held.moved) return;
    svg.classList.remove("glides"); // what a hand holds does not lag behind it
    to([right + held.off[0], down + held.off[1]]);
  };
  dragged(dot, start, carry, (event, held) => {
    if (!held.moved && event.type === "pointerup") click();
    svg.classList.add("glides");
  });
}

// The names beside the points. Words that stand together share one.
function drawLabels(svg, vocabulary, named, hairs) {
  const nodes = [...vocabulary, "now"].map(() => add(svg, "text", {class: "tint"}));
  return (at, after, now, weights) => {
    const {tokens, asks, word, drawn} = now;
    const groups = [];
    at.forEach((place, k) => {
      const near = groups.find(one => together(one.at, place));
      const inside = tokens.includes(k);
      if (near && near.inside === inside) near.words.push(k);
      else groups.push({at: place, words: [k], inside, node: k});
    });
    const name = k => {
      if (!tokens.includes(k)) return vocabulary[k];
      const often = tokens.filter(token => token === k).length;
      const times = often > 1 ? ` (${often} times)` : "";
      return `${vocabulary[k]}${times} ${k === word ? "(query) " : ""}${show(drawn[k])}`;
    };
    const texts = groups.map(one => ({
      ...one,
      text: one.words.map(name).join(", "),
      strong: one.words.includes(word) && asks !== null,
    }));
    const output = {at: after, text: `output of ${vocabulary[word]}`, strong: true, inside: true};
    if (after) texts.unshift({...output, node: vocabulary.length});
    texts.sort((a, b) => b.strong + b.inside - a.strong - a.inside);
    const bands = weights
      .map((weight, k) => ({from: at[word], to: at[k], thick: THICK * weight}))
      .filter((band, k) => k !== word && band.thick > 2)
      .concat(hairs);
    const placed = besides(texts, {named, bands, width: WIDTH, height: HEIGHT});
    nodes.forEach((node, k) => {
      const one = placed.find(other => other.node === k);
      set(node, shown(one));
      if (!one) return;
      const looks = {class: one.strong ? "tint b" : "tint", opacity: one.inside ? null : 0.75};
      set(put(node, one.x, one.y), {...looks, "text-anchor": one.anchor}, one.text);
    });
  };
}
