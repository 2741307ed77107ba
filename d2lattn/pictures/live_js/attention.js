// The microscope: tokens -> queries, keys, values -> scores -> mask -> shares -> output.
import {add, button, control, dot, editable, factor, fill, frame, grid, later, numberField, panel, plain, saying, set, short, show, softmax, stage} from "./core.js";

// May word i see word j? `rule` names one mask or several; `size` is a length or a width.
export function maySee(rule, i, j, size, given) {
  return (!rule.includes("padding") || j < size) && (!rule.includes("causal") || j <= i)
    && (!rule.includes("window") || Math.abs(i - j) < size) && (rule !== "given" || given[i][j] === "1");
}

// Everything the figure shows, from the inputs alone. W is stored (out, in): Q = X Wᵀ.
export function attend({x, projections, divisor, temperature, rule, size, given}) {
  const [queries, keys, values] = projections ? projections.map(W => x.map(row => W.map(w => dot(w, row)))) : [x, x, x];
  const visible = x.map((_, i) => x.map((_, j) => maySee(rule, i, j, size, given)));
  const products = queries.map(query => keys.map(key => dot(query, key)));
  const scores = products.map(row => row.map(product => product / divisor / temperature));
  const rows = scores.map((row, i) => softmax(row, visible[i]));
  const shares = rows.map(row => row.shares);
  const output = shares.map(row => values[0].map((_, c) => dot(row, values.map(value => value[c]))));
  return {queries, keys, values, visible, products, scores, rows, shares, output};
}

const terms = (a, b) => a.map((value, i) => `${factor(value)}·${factor(b[i])}`).join(" + ");
const cut = (word, most = 7) => (word.length > most ? word.slice(0, most - 1) + "…" : word);
const LEFT = 62, CELL = 42, RULES = ["none", "padding", "causal", "window", "causal + padding", "causal + window"];

export function mount(live, data) {
  const {tokens, projections: given} = data, n = tokens.length;
  const [WIDTH, LINE, BASE] = given ? [1028, 19, 124] : [884, 22, 168];
  const d = given ? given[0].length : data.x[0].length;
  const divisors = new Map([["1", 1], [`√${d}`, Math.sqrt(d)], [`${d}`, d]]);
  const near = [...divisors.keys()].find(name => Math.abs(divisors.get(name) - data.divisor) < 1e-5);
  const divide0 = data.divisor ? near ?? plain(data.divisor) : `√${d}`;
  if (!divisors.has(divide0)) divisors.set(divide0, data.divisor);
  const start = () => structuredClone({x: data.x, projections: given, divide: divide0, temperature: 1, rule: data.rule, size: data.size, asks: data.asks, at: ["word", data.asks, 0]});
  let state = start(), now;

  const bar = add(live, "div", {class: "bar"});
  const change = write => input => { write(input); redraw(); };
  const temperature = control(bar, "temperature", {type: "range", min: -1, max: 1, step: .02, value: 0}, change(input => (state.temperature = 10 ** input.value)));
  const heat = add(bar, "span", {"aria-hidden": "true"});
  const divide = control(bar, "divided by", {value: state.divide}, change(input => (state.divide = input.value)), [...divisors.keys()]);
  const rule = control(bar, "mask", {value: state.rule}, change(input => (state.rule = input.value)), data.given ? [...RULES, "given"] : RULES);
  button(bar, "Reset", () => { state = start(); redraw(); });
  const size = control(bar, "size", {type: "number", min: 0, max: n, step: 1}, change(input => (state.size = Math.min(n, Math.max(0, Math.round(input.value))))));
  const number = numberField(bar, value => write(...state.at, value));
  const say = saying(live);
  const svg = add(stage(live), "svg");
  const pick = kind => (i, j) => {
    state.at = [kind, i, j];
    if (["word", "query", "score", "share", "output"].includes(kind)) state.asks = i;
    redraw();
  };

  // The story: every word's score below it, its share above, its value flowing into the blend.
  const step = Math.min(150, (WIDTH - LEFT) / n), middle = j => LEFT + (j + .5) * step, TALL = BASE - 80;
  const flow = tokens.map(() => add(svg, "path", {fill: "none", stroke: "var(--value)", "stroke-opacity": .85}));
  const bars = tokens.map((_, j) => add(svg, "rect", {x: middle(j) - 17, width: 34, fill: "var(--weight)"}));
  const above = tokens.map((_, j) => add(svg, "text", {class: "m big", x: middle(j), y: BASE + 17}));
  const below = tokens.map((_, j) => add(svg, "text", {class: "m", x: middle(j), y: BASE + 67}));
  [["share", 17], ["score", 67]].forEach(([text, y]) => add(svg, "text", {y: BASE + y}, text));
  const words = grid(svg, "the sentence: who asks?", [n], (cell, _, j) => {
    const at = {x: middle(j) - step / 2 + 3, y: BASE + 24, width: step - 6, height: 27, rx: 6};
    add(cell, "rect", {...at, class: "box"});
    add(cell, "rect", {...at, fill: "none", "stroke-width": 2.5, stroke: "var(--query)"});
    add(cell, "text", {class: "m b", x: middle(j), y: BASE + 43, style: "font-size:17px"}, cut(tokens[j], Math.max(3, Math.floor((step - 8) / 11.5))));
    add(cell, "rect", {...at, class: "ring"});
  }, (_, j) => pick("word")(j, 0))[0];
  const blend = add(svg, "g"), outs = (given ? given[2] : data.x[0]).length, OUT = 54, wide = outs * OUT;
  const out = Array.from({length: outs}, (_, c) => {
    add(blend, "rect", {x: c * OUT, y: 4, width: OUT - 2, height: 24, rx: 3, fill: "var(--output)", "fill-opacity": .3});
    return add(blend, "text", {class: "n big", x: c * OUT + OUT - 6, y: 21});
  });
  add(blend, "rect", {class: "mark", x: -2, y: 2, width: wide + 2, height: 28, rx: 4, stroke: "var(--output)"});
  const caption = add(blend, "text", {y: 21});

  // The same for every word: one panel for each matrix, wrapped to the width of the page.
  const panels = {};
  let left = LEFT, top = BASE + (given ? 102 : 116);
  const bottom = () => Math.max(...Object.values(panels).map(p => p.bottom));
  const place = (kind, title, rows, columns, {labels, edit = false, names = false} = {}) => {
    const x = left, y = top;
    add(svg, "text", {class: "b", x, y: y - (labels ? 22 : 7)}, title);
    labels?.forEach((word, j) => add(svg, "text", {class: "m t", x: x + j * CELL + CELL / 2 - 1, y: y - 6}, cut(word, 6)));
    if (names) tokens.forEach((word, i) => add(svg, "text", {class: "n s", x: x - 8, y: y + i * LINE + LINE / 2 + 3.5}, cut(word)));
    panels[kind] = panel(svg, {name: title, x, y, rows, columns, width: CELL, height: LINE, pad: 3, pick: pick(kind), edit: () => edit, write: short});
    if (edit) editable(svg, panels[kind].cells, number, (i, j) => read(kind)[i][j], (i, j, value) => write(kind, i, j, value));
    left = panels[kind].right + (kind[0] === "W" ? 8 : 20);
  };
  // What does not fit begins a line. Says whether a line begins.
  const room = columns => {
    if (left + columns * CELL > WIDTH) [left, top] = [LEFT, bottom() + 42];
    return left === LEFT;
  };
  const dims = data.x[0].length;
  place("x", "tokens x", n, dims, {edit: true, names: true});
  given?.forEach((W, k) => {
    room(2 * W.length);
    place(`W${k}`, `W${"qkv"[k]}ᵀ`, dims, W.length, {edit: true});
    place(["query", "key", "value"][k], ["queries", "keys", "values"][k], n, W.length);
  });
  if (given) left = WIDTH; // scores begin a line
  for (const [kind, title, columns, labels] of [["score", "scores", n, tokens], ["share", "shares", n, tokens], ["output", "output", outs]]) place(kind, title, n, columns, {names: room(columns), labels});
  frame(svg, WIDTH, bottom() + 4, given ? 488 : 450);

  function read(kind) {
    const {x, projections} = state;
    if (kind[0] === "W") return x[0].map((_, c) => projections[kind[1]].map(row => row[c])); // Wᵀ
    return {x, query: now.queries, key: now.keys, value: now.values, score: now.scores, share: now.shares, output: now.output}[kind];
  }

  function write(kind, i, j, value) {
    if (kind === "x") state.x[i][j] = value;
    else state.projections[kind[1]][j][i] = value;
    redraw();
  }

  // The chosen number in words, each part with the role it plays.
  function explain([kind, i, j]) {
    const asking = tokens[i], value = read(kind)?.[i][j];
    if (kind === "word") {
      const best = now.shares[i].indexOf(Math.max(...now.shares[i]));
      if (!now.rows[i].sum) return [[asking, "query"], [" asks, but may see nobody: every share is 0, and so is what comes out."]];
      return [[asking, "query"], [" asks. The largest share, "], [show(now.shares[i][best]), "weight"], [", goes to "], [tokens[best], "key"], ["; the values, blended by share, come out as "], [`(${now.output[i].map(plain).join(", ")})`, "output"], ["."]];
    }
    if (kind === "x" || kind[0] === "W") return [[kind === "x" ? `Number ${j + 1} of ` : `Row ${i + 1}, column ${j + 1} of `], [kind === "x" ? asking : `W${"qkv"[kind[1]]}ᵀ`, {W0: "query", W1: "key", W2: "value"}[kind]], [` is ${plain(value)}. Type another (Enter), drag it up or down, or hold Shift and press ↑ or ↓.`]];
    const part = {query: 0, key: 1, value: 2}[kind];
    if (part !== undefined) return [[`${kind} of ${asking}`, kind], [`, number ${j + 1} = x · column ${j + 1} of W${"qkv"[part]}ᵀ = ${terms(state.x[i], state.projections[part][j])} = ${plain(value)}`]];
    if (kind === "output") return [[`output of ${asking}`, "output"], [`, number ${j + 1} = `], ["shares", "weight"], [" · "], ["values", "value"], [` = ${terms(now.shares[i], now.values.map(v => v[j]))} = ${plain(value)}`]];
    const parts = [[`query of ${asking}`, "query"], [" · "], [`key of ${tokens[j]}`, "key"], [` = ${terms(now.queries[i], now.keys[j])} = ${plain(now.products[i][j])}`]];
    if (divisors.get(state.divide) !== 1) parts.push([`; ÷ ${state.divide} = ${plain(now.products[i][j] / divisors.get(state.divide))}`]);
    if (state.temperature !== 1) parts.push([`; ÷ ${plain(state.temperature)} (temperature) = ${plain(now.scores[i][j])}`]);
    if (!now.visible[i][j]) return [...parts, ["; hidden by the mask, so it counts as −∞ and its share is "], ["0", "weight"], ["."]];
    if (kind === "score") return parts;
    const {sum, largest} = now.rows[i], score = now.scores[i][j], off = Math.abs(largest) > 9 ? largest : 0;
    parts.push([off ? `; less the row's largest, ${plain(off)}, which changes no share: e^${factor(score - off)}` : `; e^${factor(score)}`]);
    return [...parts, [` = ${plain(Math.exp(score - off))}; ÷ ${plain(sum * Math.exp(largest - off))}, the sum of the row, = `], [show(value), "weight"], ["."]];
  }

  function draw() {
    const {asks, at: [kind, i, j]} = state;
    now = attend({...state, divisor: divisors.get(state.divide), given: data.given});
    const input = kind === "x" || kind[0] === "W";
    number.parentNode.hidden = !input;
    number.parentNode.firstChild.data = kind === "x" ? `number ${j + 1} of ${tokens[i]}` : `W${"qkv"[kind[1]]}ᵀ, row ${i + 1}, column ${j + 1}`;
    if (input) fill(number, read(kind)[i][j]);
    temperature.value = Math.log10(state.temperature);
    set(temperature, {"aria-valuetext": show(state.temperature)});
    set(heat, {}, show(state.temperature));
    divide.value = state.divide;
    rule.value = state.rule;
    const sized = /padding|window/.exec(state.rule)?.[0];
    size.parentNode.hidden = !sized;
    size.parentNode.firstChild.data = sized === "padding" ? "words that count" : "window width";
    fill(size, state.size);

    const shares = now.shares[asks], target = Math.max(LEFT, Math.min(WIDTH - wide, middle(asks) - wide / 2));
    let used = target + wide / 2 - 34;
    tokens.forEach((word, k) => {
      const share = shares[k], high = TALL * share, x = used + 34 * share, y = BASE - high;
      used += 68 * share;
      set(flow[k], {"stroke-width": 68 * share, d: `M${middle(k)},${y}C${middle(k)},${(y + 30) / 2} ${x},${(y + 30) / 2} ${x},31`, visibility: share < .004 ? "hidden" : null});
      set(bars[k], {y, height: high});
      set(above[k], {}, short(share));
      set(below[k], {opacity: now.visible[asks][k] ? null : .72}, now.visible[asks][k] ? short(now.scores[asks][k]) : "hidden");
      set(words[k].children[1], {visibility: k === asks ? null : "hidden"});
      set(words[k], {"aria-label": k === asks ? `${word}, asks` : `${word}, share ${show(share)}`});
    });
    set(blend, {transform: `translate(${target},0)`});
    out.forEach((node, c) => set(node, {}, short(now.output[asks][c])));
    const right = target + wide / 2 < WIDTH / 2;
    set(caption, {x: right ? wide + 8 : -8, "text-anchor": right ? "start" : "end"}, `what comes out for ${tokens[asks]}`);

    const name = (kind, i, j) => `${kind} of ${tokens[i]}, number ${j + 1}: ${show(read(kind)[i][j])}`;
    for (const [kind, {update}] of Object.entries(panels)) {
      update(read(kind), (value, i, j) => {
        if (kind === "score") return now.visible[i][j] ? {label: `score of ${tokens[j]} for ${tokens[i]}: ${show(value)}`} : {text: "−∞", fade: true, label: `score of ${tokens[j]} for ${tokens[i]}: hidden`};
        if (kind === "share") return {tint: "weight", opacity: .6 * value, fade: !now.visible[i][j], label: `share of ${tokens[j]} for ${tokens[i]}: ${show(value)}`};
        if (kind[0] === "W") return {tint: ["query", "key", "value"][kind[1]], opacity: .12, label: `W${"qkv"[kind[1]]}, row ${i + 1}, column ${j + 1}: ${show(value)}`};
        return {tint: kind, opacity: kind === "x" ? 0 : .12, label: name(kind, i, j)};
      });
    }
    // The path of the asking row, and of the key whose number is chosen.
    const pair = kind === "score" || kind === "share";
    const answers = pair ? j : kind === "key" || kind === "value" ? i : undefined;
    panels[given ? "query" : "x"].frame("query", asks);
    panels[given ? "key" : "x"].frame("key", answers);
    if (given) panels.value.frame("value", ...(kind === "output" ? [0, j, n, 1] : [answers]));
    panels.score.frame("query", asks);
    panels.share.frame("weight", asks);
    for (const one of ["score", "share"]) panels[one].frame("key", ...(pair ? [asks, j, 1, 1] : []));
    panels.output.frame("output", asks);
    say(explain(state.at));
  }

  const redraw = later(draw);
  draw();
}
