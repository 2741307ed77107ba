// Many heads, or one through training: small maps, one large, and who gets how much from whom.
import {add, button, control, fill, frame, grid, later, saying, set, show, softmax, stage} from "./core.js";

// Numbers that were sent as bytes: low + unit · (an integer of 8 or 16 bits).
export function unpack({text, bits, low, unit}) {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const whole = bits === 16 ? new Uint16Array(bytes.buffer) : bytes; // little-endian, as everywhere today
  return Float64Array.from(whole, value => low + unit * value);
}

// The weights of every snapshot and head in one row of numbers: as sent, or from queries and keys.
export function weightsOf({shape: [T, H, L, S], weights, query, key, width}) {
  if (weights) return unpack(weights);
  const q = unpack(query), k = unpack(key), result = new Float64Array(T * H * L * S);
  for (let row = 0; row < T * H * L; row++) {
    const head = Math.floor(row / L), scores = [];
    for (let j = 0; j < S; j++) {
      let sum = 0;
      for (let c = 0; c < width; c++) sum += q[row * width + c] * k[(head * S + j) * width + c];
      scores.push(sum / Math.sqrt(width));
    }
    result.set(softmax(scores).shares, row * S);
  }
  return result;
}

const STYLE = `
.maps [role=row] { display: flex; flex-wrap: wrap; gap: 4px; margin: 4px 0; }
.maps [role=gridcell] { width: 86px; padding: 4px; border-radius: 6px; text-align: center; border: 2px solid transparent; font-size: 14px; }
.maps.many [role=gridcell] { width: 69px; padding: 3px; font-size: 13px; }
.maps .shown { border-color: var(--weight); font-weight: 600; } .maps [role=gridcell]:focus { outline: 2px solid currentColor; outline-offset: 1px; }
.maps canvas { width: 100%; aspect-ratio: 1; border: 1px solid color-mix(in srgb, currentColor 35%, transparent); }
`;
// The sentence to the left, the map to the right; LINE is the height of a word.
const WIDTH = 884, WORDS = 540, LINE = 26;

export function mount(live, data) {
  const {shape: [T, H, L, S], tokens, heads, steps} = data, answers = data.key_tokens ?? tokens;
  const weights = weightsOf(data), share = (head, i, j) => weights[((state.step * H + head) * L + i) * S + j];
  const colour = data.roles.weight.match(/\w\w/g).map(part => parseInt(part, 16));
  const start = () => ({step: T - 1, head: 0, asks: Math.floor(L / 2), answer: null, over: null, least: Math.max(L, S) > 16 ? .08 : .01});
  let state = start();
  const asking = () => state.over?.[0] ?? state.asks;

  add(live, "style", {}, STYLE);
  const bar = add(live, "div", {class: "bar"});
  const step = T > 1 ? control(bar, "training", {type: "range", min: 0, max: T - 1, step: 1, style: "width:240px"}, input => { state.step = Number(input.value); maps(); }) : null;
  const when = T > 1 ? add(bar, "span", {"aria-hidden": "true", class: "b"}) : null;
  const least = control(bar, "hide shares below", {type: "range", min: 0, max: .5, step: .01}, input => { state.least = Number(input.value); redraw(); });
  const bound = add(bar, "span", {"aria-hidden": "true"});
  button(bar, "Reset", () => { state = start(); maps(); });
  const say = saying(live);

  // One pixel for each weight, enlarged by the browser.
  const canvas = parent => add(parent, "canvas", {width: S, height: L, "aria-hidden": "true"});
  const paint = (canvas, head) => {
    const picture = new ImageData(S, L), {data: pixels} = picture, soft = Math.max(L, S) > 12;
    for (let k = 0; k < L * S; k++) {
      const value = share(head, 0, k);
      [pixels[4 * k], pixels[4 * k + 1], pixels[4 * k + 2]] = colour;
      pixels[4 * k + 3] = 255 * (soft ? Math.sqrt(value) : .7 * value);
    }
    canvas.getContext("2d").putImageData(picture, 0, 0);
  };
  const strip = add(live, "div", {class: H > 8 ? "maps many" : "maps", hidden: H < 2 ? "" : null});
  const small = grid(strip, "heads", [H], (cell, _, h) => {
    cell.map = canvas(cell);
    add(cell, "span", {}, heads[h]);
  }, (_, h) => { state.head = h; maps(); })[0];

  const box = stage(live), large = canvas(box), svg = add(box, "svg");

  // The sentence twice: who asks above, who answers below; shares are carried from one to the other.
  const per = n => (n <= 10 ? n : 10), lines = n => Math.ceil(n / per(n)), one = lines(S) === 1;
  const lengths = n => Array.from({length: lines(n)}, (_, i) => Math.min(per(n), n - i * per(n)));
  const place = n => { const wide = WORDS / Math.max(per(n), 4); return k => [(k % per(n) + .5) * wide, Math.floor(k / per(n)) * LINE, wide]; };
  const from = place(L), to = place(S), TOP = 22 + lines(L) * LINE + (one ? 176 : 70);
  const arcs = answers.map(() => add(svg, "path", {fill: "none", stroke: "var(--weight)", "stroke-opacity": .85}));
  const sentence = (name, words, place, top, role, pick) => grid(svg, name, lengths(words.length), (cell, i, j) => {
    const k = i * per(words.length) + j, [x, y, wide] = place(k), at = {x: x - wide / 2 + 2, y: top + y, width: wide - 4, height: LINE - 4, rx: 5};
    const most = Math.max(3, Math.floor(wide / (one ? 9.5 : 8))), word = words[k];
    add(cell, "rect", {...at, class: "box"});
    add(cell, "rect", {...at, fill: "var(--weight)", "fill-opacity": 0});
    add(cell, "rect", {...at, fill: "none", "stroke-width": 2.5, stroke: `var(--${role})`, visibility: "hidden"});
    add(cell, "text", {x, y: top + y + 17, class: one ? "m b" : "m t"}, word.length > most ? word.slice(0, most - 1) + "…" : word);
    add(cell, "rect", {...at, class: "ring"});
    cell.addEventListener("pointerenter", () => over(role === "query" ? [k, null] : [state.asks, k]));
    cell.addEventListener("pointerleave", () => over(null));
  }, (i, j) => pick(i * per(words.length) + j)).flat();
  const over = at => { state.over = at; redraw(); };
  add(svg, "text", {y: 14, class: "s"}, "who asks");
  const who = sentence("who asks?", tokens, from, 22, "query", k => { state.asks = k; state.answer = null; redraw(); });
  add(svg, "text", {y: TOP + lines(S) * LINE + (one ? 36 : 14), class: "s"}, "who answers" + (one ? ", and its share" : ""));
  const whom = sentence("who answers?", answers, to, TOP, "key", k => { state.answer = k; redraw(); });
  const numbers = answers.map((_, k) => add(svg, "text", {class: "m big", x: to(k)[0], y: TOP + LINE + 14}));

  // The large map, and where the words are too many for numbers, the largest shares of who asks.
  const named = L <= 20 && S <= 20, size = named ? 236 : 300, LEFT = WIDTH - size - (named ? 32 : 2), MAP = named ? 62 : 24, cell = [size / S, size / L];
  if (named) {
    const tiny = `font-size:${Math.min(13, cell[0], cell[1])}px`;
    tokens.forEach((word, i) => add(svg, "text", {class: "e", style: tiny, x: LEFT - 8, y: MAP + (i + .5) * cell[1] + 4}, word.slice(0, 8)));
    answers.forEach((word, j) => add(svg, "text", {style: tiny, transform: `translate(${LEFT + (j + .5) * cell[0] + 3},${MAP - 7})rotate(-45)`}, word.slice(0, 8)));
  } else add(svg, "text", {class: "s", x: LEFT, y: MAP - 8}, "asks ↓   answers →");
  add(svg, "rect", {x: LEFT, y: MAP, width: size, height: size, fill: "none", stroke: "currentColor", "stroke-opacity": .4});
  const written = L <= 10 && S <= 10 ? tokens.map((_, i) => answers.map((_, j) => add(svg, "text", {class: "m", style: `font-size:${Math.min(14, .38 * cell[0])}px`, x: LEFT + (j + .5) * cell[0], y: MAP + (i + .5) * cell[1] + 4}))) : [];
  const row = add(svg, "rect", {class: "mark", stroke: "var(--query)", x: LEFT - 1, width: size + 2, height: cell[1]});
  const column = add(svg, "rect", {class: "mark", stroke: "var(--key)", y: MAP - 1, width: cell[0], height: size + 2});
  const glass = add(svg, "rect", {x: LEFT, y: MAP, width: size, height: size, fill: "transparent"});
  const under = event => {
    const matrix = svg.getScreenCTM(), part = (at, start, cell, most) => Math.max(0, Math.min(most - 1, Math.floor((at - start) / cell)));
    return [part((event.clientY - matrix.f) / matrix.d, MAP, cell[1], L), part((event.clientX - matrix.e) / matrix.a, LEFT, cell[0], S)];
  };
  glass.addEventListener("pointermove", event => over(under(event)));
  glass.addEventListener("pointerleave", () => over(null));
  glass.addEventListener("click", event => { [state.asks, state.answer] = under(event); redraw(); });
  const BEST = one ? 0 : Math.min(4, S), X = LEFT + 90, LIST = MAP + size + 26;
  const title = add(svg, "text", {class: "b", x: LEFT, y: LIST, visibility: one ? "hidden" : null});
  const best = Array.from({length: BEST}, (_, r) => {
    const y = LIST + 10 + 25 * r;
    return [add(svg, "text", {class: "e", x: X - 8, y: y + 15}), add(svg, "rect", {x: X, y, height: 20, rx: 3, fill: "var(--weight)"}), add(svg, "text", {y: y + 15})];
  });
  const height = Math.max(TOP + lines(S) * LINE + (one ? 44 : 20), MAP + size + (one ? 4 : 30 + 25 * BEST)), percent = part => `${100 * part}%`;
  frame(svg, WIDTH, height, one ? 345 : 470);
  set(large, {style: `left:${percent(LEFT / WIDTH)};top:${percent(MAP / height)};width:${percent(size / WIDTH)};height:${percent(size / height)}`});

  // Step or head changed: the maps are painted again. Everything else follows with `redraw`.
  let stale = true;
  function maps() {
    stale = true;
    redraw();
  }

  function draw() {
    const asks = asking(), answer = state.over ? state.over[1] : state.answer, {head} = state;
    if (stale) {
      stale = false;
      small.forEach((cell, h) => { if (H > 1) paint(cell.map, h); set(cell, {"aria-label": h === head ? `${heads[h]}, shown` : heads[h], class: h === head ? "shown" : null}); });
      paint(large, head);
      written.forEach((row, i) => row.forEach((node, j) => set(node, {}, show(share(head, i, j)))));
    }
    if (step) {
      fill(step, state.step);
      set(step, {"aria-valuetext": steps[state.step]});
      set(when, {}, steps[state.step]);
    }
    fill(least, state.least);
    set(bound, {}, show(state.least));
    const shares = answers.map((_, j) => share(head, asks, j)), [x0, y0] = from(asks);
    shares.forEach((value, k) => {
      const [x, y] = to(k), start = 22 + y0 + LINE - 4, end = TOP + y, middle = (start + end) / 2, seen = value >= state.least && value > 0;
      set(arcs[k], {visibility: seen ? null : "hidden", "stroke-width": Math.max(.8, 40 * value), d: `M${x0},${start}C${x0},${middle} ${x},${middle} ${x},${end}`});
      set(whom[k].children[1], {"fill-opacity": .6 * value});
      set(whom[k].children[2], {visibility: k === answer ? null : "hidden"});
      set(whom[k], {"aria-label": `${answers[k]}: share ${show(value)}`});
      set(numbers[k], {}, one && seen ? show(value) : "");
    });
    who.forEach((cell, k) => {
      set(cell.children[2], {visibility: k === asks ? null : "hidden"});
      set(cell, {"aria-label": k === asks ? `${tokens[k]}, asks` : tokens[k]});
    });
    set(row, {y: MAP + asks * cell[1]});
    set(column, answer === null ? {visibility: "hidden"} : {visibility: null, x: LEFT + answer * cell[0]});
    set(title, {}, `${tokens[asks]} (word ${asks + 1}) asks`);
    const order = shares.map((_, k) => k).sort((a, b) => shares[b] - shares[a] || a - b);
    best.forEach(([name, bar, number], r) => {
      const value = shares[order[r]], wide = 150 * value;
      set(name, {}, answers[order[r]].slice(0, 9));
      set(bar, {width: wide});
      set(number, {x: X + wide + 6}, show(value));
    });
    const when_ = T > 1 ? `At ${steps[state.step]}, ` : "", inHead = H > 1 ? ` in ${heads[head]}` : "";
    const total = shares.reduce((a, b) => a + b, 0), key = answer ?? order[0];
    if (!total) say([[when_], [tokens[asks], "query"], [` may see nobody${inHead}: every share is 0.`]]);
    else say([[when_], [tokens[asks], "query"], [answer === null ? " gives its largest share, " : " gives "], [show(shares[key]), "weight"], [", to "], [answers[key], "key"], [`${inHead}. Its ${answers.length} shares add up to ${show(total)}.`]]);
  }

  const redraw = later(draw);
  draw();
}
