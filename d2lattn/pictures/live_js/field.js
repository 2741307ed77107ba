// A stack of convolutions: what one unit sees, and what a layer costs beside its rivals.
import {add, button, control, fill, frame, grid, later, saying, set, stage} from "./core.js";

// Where a layer reads, relative to its own position: `k` taps, `dilation` positions apart.
export function taps(k, dilation, causal) {
  const first = causal ? 1 - k : -(k - 1) / 2;
  return Array.from({length: k}, (_, t) => (first + t) * dilation);
}

// The units that unit `top` of layer `depth` sees: a list of positions for each level, inputs first.
export function seen({n, k, depth, dilated, causal, top}) {
  const levels = [[top]];
  for (let layer = depth - 1; layer >= 0; layer--) {
    const reads = taps(k, dilated ? k ** layer : 1, causal), found = new Set();
    for (const unit of levels[0]) for (const tap of reads) if (unit + tap >= 0 && unit + tap < n) found.add(unit + tap);
    levels.unshift([...found].sort((a, b) => a - b));
  }
  return levels;
}

// Layers until every output has seen every input that it may see.
export function layersToConnect(n, k, dilated, causal) {
  if (n === 1) return 0;
  if (k === 1) return Infinity;
  if (!dilated) return Math.ceil((n - 1) * (causal ? 1 : 2) / (k - 1));
  if (!causal) return n <= (k + 1) / 2 ? 1 : Infinity;
  let layers = 0;
  for (let field = 1; field < n; field *= k) layers++;
  return layers;
}

// FLOPs of one layer, operations one after another, and the longest path between two positions.
export function costs(n, d, k, dilated, causal) {
  return {
    convolution: [2 * k * n * d * d, 1, layersToConnect(n, k, dilated, causal)],
    "recurrent layer": [4 * n * d * d, n, n],
    "self-attention": [4 * n * n * d + 8 * n * d * d, 1, 1],
  };
}

const STYLE = `
.unit { fill: color-mix(in srgb, currentColor 12%, transparent); stroke: currentColor; stroke-opacity: .5; }
.hit { fill: color-mix(in srgb, var(--value) 60%, transparent); stroke: var(--value); stroke-opacity: 1; stroke-width: 2.5; } .asked { fill: color-mix(in srgb, var(--output) 60%, transparent); stroke: var(--output); stroke-opacity: 1; stroke-width: 3; }
table { border-collapse: collapse; font: inherit; color: inherit; margin: 6px 0; } th, td { padding: 3px 14px; text-align: right; border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent); } th:first-child { text-align: left; }
`;
const N = 17, WIDTH = 884, HIGH = 248, LEFT = 84, STEP = (WIDTH - LEFT - 10) / N, DEPTH = 5, R = 13;

// 25165824 as 2.5 × 10⁷; what is short stays whole.
function count(value) {
  if (value === Infinity) return "never";
  if (value < 1e6) return String(value).replace(/(?=(\d{3})+$)(?!^)/g, " ");
  const power = Math.floor(Math.log10(value) + 1e-12);
  return `${(value / 10 ** power).toFixed(1)} × 10${[...String(power)].map(digit => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("")}`;
}

export function mount(live, data) {
  const start = () => ({k: data.kernel, depth: data.depth, dilated: data.dilated, causal: data.causal, at: [data.depth, data.causal ? N - 1 : (N - 1) / 2], n: 1024, d: 64});
  let state = start();
  add(live, "style", {}, STYLE);
  const bar = add(live, "div", {class: "bar"});
  const change = write => input => { write(input); redraw(); };
  const kernel = control(bar, "kernel", {value: data.kernel}, change(input => (state.k = Number(input.value))), [...new Set([1, 2, 3, 5, 7, 9, data.kernel])].sort((a, b) => a - b));
  const depth = control(bar, "layers", {type: "range", min: 1, max: DEPTH, step: 1}, change(input => { state.depth = Number(input.value); state.at[0] = state.depth; }));
  const many = add(bar, "span", {"aria-hidden": "true"});
  const dilated = control(bar, "dilated", {type: "checkbox"}, change(input => (state.dilated = input.checked)));
  const causal = control(bar, "causal", {type: "checkbox"}, change(input => (state.causal = input.checked)));
  button(bar, "Reset", () => { state = start(); redraw(); });
  const say = saying(live), svg = add(stage(live), "svg");
  frame(svg, WIDTH, HIGH, 310);

  const x = i => LEFT + (i + .5) * STEP, gap = () => Math.min(68, (HIGH - 40) / state.depth), y = level => 20 + (state.depth - level) * gap();
  const all = add(svg, "path", {fill: "none", stroke: "currentColor", "stroke-opacity": .16, "stroke-width": 1.2});
  const used = add(svg, "path", {fill: "none", stroke: "var(--value)", "stroke-width": 3.5, "stroke-linecap": "round"});
  const names = Array.from({length: DEPTH + 1}, () => add(svg, "text", {class: "e s", x: LEFT - 8}));
  // The top row comes first, as on screen, so that the arrow keys walk the way one looks.
  const units = grid(svg, "units: which one is asked about?", Array(DEPTH + 1).fill(N), (cell, row, i) => {
    add(cell, "circle", {cx: x(i), r: R, class: "unit"});
    add(cell, "text", {class: "m s", x: x(i)});
    add(cell, "circle", {cx: x(i), r: R + 4, class: "ring"});
  }, (row, i) => { state.at = [DEPTH - row, i]; redraw(); });

  const costBar = add(live, "div", {class: "bar"});
  const size = (name, key, most) => control(costBar, name, {type: "number", min: 1, max: most, step: 1}, change(input => (state[key] = Math.max(1, Math.min(most, Math.round(input.value) || 1)))));
  const long = size("positions n", "n", 1e6), wide = size("width d", "d", 1e5);
  const table = add(live, "table"), head = add(table, "tr");
  for (const name of ["one layer", "FLOPs", "one after another", "longest path"]) add(head, "th", {scope: "col"}, name);
  const cells = Object.keys(costs(2, 2, 3)).map(name => {
    const row = add(table, "tr");
    const first = add(row, "th", {scope: "row"}, name);
    return [first, ...[0, 1, 2].map(() => add(row, "td"))];
  });

  function draw() {
    if (state.k % 2 === 0) state.causal = true; // an even kernel has no middle
    const {k, dilated: spread, causal: past} = state, [level, unit] = state.at = [Math.min(state.at[0], state.depth), state.at[1]];
    kernel.value = k;
    fill(depth, state.depth);
    set(many, {}, state.depth);
    dilated.checked = spread;
    causal.checked = past;
    causal.disabled = k % 2 === 0;
    const found = seen({n: N, k, depth: level, dilated: spread, causal: past, top: unit});
    let links = "", marked = "";
    for (let layer = 0; layer < state.depth; layer++) {
      const reads = taps(k, spread ? k ** layer : 1, past);
      for (let i = 0; i < N; i++) for (const tap of reads) {
        const from = i + tap;
        if (from < 0 || from >= N) continue;
        const link = `M${x(from)},${y(layer) - R}L${x(i)},${y(layer + 1) + R}`;
        links += link;
        if (layer < level && found[layer + 1].includes(i)) marked += link;
      }
    }
    set(svg, {viewBox: `0 0 ${WIDTH} ${y(0) + 20}`});
    set(all, {d: links || "M0,0"});
    set(used, {d: marked || "M0,0"});
    names.forEach((node, l) => set(node, {y: y(l) + 4, visibility: l > state.depth ? "hidden" : null}, l ? `layer ${l}` : "inputs"));
    units.forEach((row, r) => set(row[0].parentNode, {display: DEPTH - r > state.depth ? "none" : null}));
    units.forEach((row, r) => row.forEach((cell, i) => {
      const l = DEPTH - r, hit = l <= level && found[l].includes(i), asked = l === level && i === unit;
      set(cell, {tabindex: asked ? 0 : -1, "aria-label": `${l ? `layer ${l}` : "input"}, position ${i + 1}${asked ? ", asked about" : hit ? ", seen" : ""}`});
      const [circle, text, ring] = cell.children;
      set(circle, {cy: y(l), class: asked ? "unit asked" : hit ? "unit hit" : "unit"});
      set(text, {y: y(l) + 4}, i + 1);
      set(ring, {cy: y(l)});
    }));
    
    const dilations = Array.from({length: level}, (_, l) => (spread ? k ** l : 1)), field = 1 + (k - 1) * dilations.reduce((a, b) => a + b, 0), inputs = found[0].length;
    say(level ? [["Unit " + (unit + 1) + " of layer " + level, "output"], [" sees "], [`${inputs} input${inputs > 1 ? "s" : ""}`, "value"], [`. Its receptive field is 1 + (${k} − 1) · ${level > 1 ? `(${dilations.join(" + ")})` : dilations[0]} = ${field} positions wide${inputs < field ? "; not all of them are taps inside the row" : ""}.`]] : [[`Input ${unit + 1} sees itself. Choose a unit above it.`]]);
    fill(long, state.n);
    fill(wide, state.d);
    Object.entries(costs(state.n, state.d, k, spread, past)).forEach(([name, row], i) => {
      cells[i][0].textContent = i ? name : `convolution, k = ${k}`;
      row.forEach((value, c) => set(cells[i][c + 1], {}, count(value)));
    });
  }

  const redraw = later(draw);
  draw();
}
