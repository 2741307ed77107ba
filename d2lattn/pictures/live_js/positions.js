// Positions: clock hands, columns and heatmap that move together, and the turn between two hands.
import {add, button, control, dot, fill, frame, grid, later, plain, saying, set, show, stage} from "./core.js";

// Radians per position of pair j: 1 / base^(2j/dim).
export const speed = (j, dim, base) => base ** (-2 * j / dim);

// Row p of the encoding: sin and cos of each pair's angle, in turn. An odd width ends in a sine.
export function encoding(p, dim, base) {
  return Array.from({length: dim}, (_, c) => (c % 2 ? Math.cos : Math.sin)(p * speed(Math.floor(c / 2), dim, base)));
}

// RoPE on one pair of numbers: a turn by `angle`.
export const turn = ([a, b], angle) => [a * Math.cos(angle) - b * Math.sin(angle), a * Math.sin(angle) + b * Math.cos(angle)];

// A query at p times a key at q, both turned.
export function turnedScore(query, key, p, q, pair, dim, base) {
  const w = speed(pair, dim, base);
  return dot(turn(query, p * w), turn(key, q * w));
}

const WIDTH = 884, QUERY = [1, .3], KEY = [.7, -.7], BASES = [2, 100, 10000, 1000000];

export function mount(live, data) {
  const {dim, length} = data, pairs = Math.floor(dim / 2), last = length - 1;
  const start = () => ({p: Math.min(data.p, last), q: Math.min(data.q, last), pair: 0, base: data.base, keep: false});
  let state = start();
  const bar = add(live, "div", {class: "bar"});
  const slide = (name, key, other) => control(bar, name, {type: "range", min: 0, max: last, step: 1, style: `width:120px;accent-color:var(--${key === "p" ? "query" : "key"})`}, input => move(key, other, Number(input.value)));
  function move(key, other, to) {
    if (state.keep) { // the other goes along, and both stop where one would leave the row
      const by = Math.max(-state[other], Math.min(last - state[other], to - state[key]));
      state[other] += by;
      to = state[key] + by;
    }
    state[key] = to;
    redraw();
  }
  const first = slide("position p", "p", "q"), second = slide("position q", "q", "p");
  const keep = control(bar, "keep the distance", {type: "checkbox"}, input => { state.keep = input.checked; redraw(); });
  const base = control(bar, "base", {value: data.base}, input => { state.base = Number(input.value); redraw(); }, [...new Set([...BASES, data.base])].sort((a, b) => a - b));
  button(bar, "Reset", () => { state = start(); redraw(); });
  const say = saying(live), box = stage(live), canvas = add(box, "canvas", {width: length, height: dim, "aria-hidden": "true"}), svg = add(box, "svg");

  // One clock for each pair. Sine goes up and cosine to the right, as in the circle of school.
  const shown = Math.min(pairs, 16), per = Math.min(shown, 8), R = per <= 4 ? 46 : 38, COLUMN = WIDTH / Math.max(per, 5);
  const at = k => [(WIDTH - per * COLUMN) / 2 + (k % per + .5) * COLUMN, R + 12 + Math.floor(k / per) * (2 * R + 52)];
  const point = ([x, y], angle, r = R) => [x + r * Math.cos(angle), y - r * Math.sin(angle)];
  const clocks = grid(svg, "clocks, one for each pair of columns", Array.from({length: Math.ceil(shown / per)}, (_, i) => Math.min(per, shown - i * per)), (cell, i, j) => {
    const k = i * per + j, [x, y] = at(k);
    add(cell, "rect", {x: x - R - 8, y: y - R - 8, width: 2 * R + 16, height: 2 * R + 40, rx: 8, class: "box"});
    add(cell, "circle", {cx: x, cy: y, r: R, fill: "none", stroke: "currentColor", "stroke-opacity": .4});
    add(cell, "path", {fill: "var(--weight)", "fill-opacity": .45});
    for (const role of ["key", "query"]) add(cell, "line", {x1: x, y1: y, stroke: `var(--${role})`, "stroke-width": 4.5, "stroke-linecap": "round"});
    add(cell, "text", {x, y: y + R + 20, class: "m s"});
    add(cell, "rect", {x: x - R - 8, y: y - R - 8, width: 2 * R + 16, height: 2 * R + 40, rx: 8, class: "ring"});
  }, (i, j) => { state.pair = i * per + j; redraw(); }).flat();
  const chosen = add(svg, "rect", {class: "mark", rx: 8, width: 2 * R + 16, height: 2 * R + 40, stroke: "currentColor"});

  // The encoding as a map, position to the right, and the curves of the chosen pair on one axis.
  const LEFT = 56, SPAN = 560, unit = SPAN / length, MAP = at(shown - 1)[1] + R + 62, HIGH = Math.max(64, Math.min(140, dim * 9)), line = HIGH / dim;
  set(canvas, {style: ""});
  add(svg, "text", {x: LEFT, y: MAP - 8, class: "b"}, "the encoding: a column for each position, a row for each number");
  add(svg, "rect", {x: LEFT, y: MAP, width: SPAN, height: HIGH, fill: "none", stroke: "currentColor", "stroke-opacity": .4});
  add(svg, "text", {x: LEFT - 8, y: MAP + 10, class: "e s"}, "fast");
  add(svg, "text", {x: LEFT - 8, y: MAP + HIGH - 2, class: "e s"}, "slow");
  const pairMark = add(svg, "rect", {class: "mark", stroke: "currentColor", x: LEFT - 1, width: SPAN + 2, height: 2 * line});
  const CURVE = MAP + HIGH + 68, TALL = 36, x = p => LEFT + (p + .5) * unit;
  const title = add(svg, "text", {x: LEFT, y: CURVE - TALL - 8, class: "b"});
  add(svg, "line", {x1: LEFT, x2: LEFT + SPAN, y1: CURVE, y2: CURVE, stroke: "currentColor", "stroke-opacity": .35});
  const curves = ["sin", "cos"].map((name, k) => {
    add(svg, "text", {x: LEFT - 8, y: CURVE - 4 + 18 * k, class: "e s"}, k ? "cos - -" : "sin —");
    return add(svg, "path", {fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-dasharray": k ? "5 4" : null, "aria-hidden": "true"});
  });
  const bars = ["key", "query"].map(role => [
    add(svg, "rect", {y: MAP, width: unit, height: HIGH, class: "mark", stroke: `var(--${role})`, style: "stroke-width:3.5"}),
    add(svg, "line", {y1: CURVE - TALL, y2: CURVE + TALL, stroke: `var(--${role})`, "stroke-width": 3}),
    add(svg, "text", {y: CURVE + TALL + 16, class: "m b"})]);

  // RoPE: the same turn on a query and a key. Their product knows the distance alone.
  const RIGHT = LEFT + SPAN + 36, ROPE = MAP + 84, ARROW = 52;
  ["the same turn on a query", "and a key (RoPE)"].forEach((text, k) => add(svg, "text", {x: RIGHT, y: MAP - 8 + 18 * k, class: "b"}, text));
  const arrows = [["as they are", RIGHT + ARROW], ["turned", RIGHT + 3 * ARROW + 16]].map(([name, x0]) => {
    add(svg, "circle", {cx: x0, cy: ROPE, r: ARROW, fill: "none", stroke: "currentColor", "stroke-opacity": .3});
    add(svg, "text", {x: x0, y: ROPE + ARROW + 18, class: "m s"}, name);
    const wedge = add(svg, "path", {fill: "var(--weight)", "fill-opacity": .4});
    return {x0, wedge, lines: ["query", "key"].map(role => add(svg, "line", {x1: x0, y1: ROPE, stroke: `var(--${role})`, "stroke-width": 5, "stroke-linecap": "round"}))};
  });
  const product = [0, 1, 2].map(k => add(svg, "text", {x: RIGHT, y: ROPE + ARROW + 48 + 24 * k, style: "font-size:15px"}));
  const height = Math.max(CURVE + TALL + 22, ROPE + ARROW + 104), percent = part => `${100 * part}%`;
  frame(svg, WIDTH, height, 455);
  set(canvas, {style: `left:${percent(LEFT / WIDTH)};top:${percent(MAP / height)};width:${percent(SPAN / WIDTH)};height:${percent(HIGH / height)}`});
  const glass = add(svg, "rect", {x: LEFT, y: MAP, width: SPAN, height: CURVE + TALL - MAP, fill: "transparent", style: "touch-action:none;cursor:ew-resize"});
  let held = null;
  const under = event => Math.max(0, Math.min(last, Math.floor(((event.clientX - svg.getScreenCTM().e) / svg.getScreenCTM().a - LEFT) / unit)));
  glass.addEventListener("pointerdown", event => {
    const to = under(event);
    held = Math.abs(to - state.q) < Math.abs(to - state.p) ? ["q", "p"] : ["p", "q"];
    glass.setPointerCapture(event.pointerId);
    move(...held, to);
  });
  glass.addEventListener("pointermove", event => held && move(...held, under(event)));
  for (const end of ["pointerup", "pointercancel"]) glass.addEventListener(end, () => (held = null));

  let painted = null, drawn = null; // the base and the pair that are on screen
  function paint() {
    painted = state.base;
    const picture = new ImageData(length, dim); // grey that stands out on light and dark pages
    for (let p = 0; p < length; p++) encoding(p, dim, state.base).forEach((value, c) => picture.data.set([112, 112, 116, 120 * (1 + value)], 4 * (c * length + p)));
    canvas.getContext("2d").putImageData(picture, 0, 0);
  }

  // A slice of the circle from one angle to another, the way the hand turned; whole turns are full.
  function wedge(centre, from, to, r) {
    const by = Math.max(-6.283, Math.min(6.283, to - from)), [x0, y0] = point(centre, from, r), [x1, y1] = point(centre, from + by, r);
    return `M${centre}L${x0},${y0}A${r},${r} 0 ${Math.abs(by) > Math.PI ? 1 : 0} ${by > 0 ? 0 : 1} ${x1},${y1}Z`;
  }

  function draw() {
    const {p, q, pair} = state, w = speed(pair, dim, state.base), degrees = value => show(value * 180 / Math.PI, 1) + "°";
    if (painted !== state.base) paint();
    if (drawn !== w) {
      drawn = w;
      curves.forEach((curve, k) => set(curve, {d: Array.from({length: 4 * length - 3}, (_, i) => `${i ? "L" : "M"}${x(i / 4).toFixed(1)},${(CURVE - TALL * .9 * [Math.sin, Math.cos][k](i / 4 * w)).toFixed(1)}`).join("")}));
    }
    fill(first, p);
    fill(second, q);
    keep.checked = state.keep;
    base.value = state.base;
    clocks.forEach((cell, k) => {
      const [, , slice, key, query, text] = cell.children, s = speed(k, dim, state.base), centre = at(k);
      for (const [hand, to] of [[query, p], [key, q]]) { const [x2, y2] = point(centre, to * s, R - 5); set(hand, {x2, y2}); }
      set(slice, {d: wedge(centre, p * s, q * s, R - 12)});
      set(text, {}, `turn ${degrees((q - p) * s)}`);
      set(cell, {"aria-label": `pair ${k}: p at ${degrees(p * s)}, q at ${degrees(q * s)}, the turn between them ${degrees((q - p) * s)}`});
    });
    const [cx, cy] = at(Math.min(pair, shown - 1));
    set(chosen, {x: cx - R - 8, y: cy - R - 8});
    set(pairMark, {y: MAP + 2 * pair * line});
    set(title, {}, `pair ${pair}: one turn takes ${show(2 * Math.PI / w, 1)} positions`);
    bars.forEach(([mark, upright, text], k) => {
      const to = k ? p : q;
      set(mark, {x: LEFT + to * unit});
      set(upright, {x1: x(to), x2: x(to)});
      set(text, {x: x(to) + (Math.abs(p - q) * unit < 14 ? ((k > 0) === (p <= q) ? -7 : 7) : 0)}, k ? "p" : "q");
    });
    arrows.forEach(({x0, wedge: slice, lines}, turned) => {
      const angles = [QUERY, KEY].map((v, k) => Math.atan2(v[1], v[0]) + turned * (k ? q : p) * w);
      lines.forEach((node, k) => { const [x2, y2] = point([x0, ROPE], angles[k], ARROW * Math.hypot(...[QUERY, KEY][k])); set(node, {x2, y2}); });
      const near = ((angles[1] - angles[0]) % (2 * Math.PI) + 3 * Math.PI) % (2 * Math.PI) - Math.PI;
      set(slice, {d: wedge([x0, ROPE], angles[0], angles[0] + near, 30)});
    });
    const score = turnedScore(QUERY, KEY, p, q, pair, dim, state.base), moved = turnedScore(QUERY, KEY, p + 5, q + 5, pair, dim, state.base);
    set(product[0], {}, `query · key = ${show(dot(QUERY, KEY))}`);
    set(product[1], {class: "b"}, `turned, at ${p} and ${q}: ${show(score)}`);
    set(product[2], {}, `five on, at ${p + 5} and ${q + 5}: ${show(moved)}`);
    say([["The hand of pair " + pair + " at "], [`p = ${p}`, "query"], [" and at "], [`q = ${q}`, "key"], [` differ by ${q - p} · ${plain(w) === "0" ? w.toExponential(1) : plain(w)} = ${show((q - p) * w)} radians, or ${degrees((q - p) * w)}. Only the distance ${show(q - p, 0)} counts: tick “keep the distance” and move on.`]]);
  }

  const redraw = later(draw);
  draw();
}
