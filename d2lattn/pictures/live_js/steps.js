// The online softmax: one number at a time, with a running maximum, sum and output.
import {add, button, control, editable, factor, fill, frame, later, numberField, panel, plain, saying, set, show, stage} from "./core.js";

// The state after each number: the largest score so far, how what was there is rescaled, the
// power of the new number, the sum of powers, and the sum of power · value.
export function online(scores, values) {
  const states = [{largest: -Infinity, rescale: 1, power: 0, sum: 0, total: values[0].map(() => 0)}];
  scores.forEach((score, j) => {
    const before = states[j], largest = Math.max(before.largest, score);
    const none = largest === -Infinity; // nothing but hidden scores yet
    const rescale = none ? 1 : Math.exp(before.largest - largest), power = none ? 0 : Math.exp(score - largest);
    const total = before.total.map((old, c) => old * rescale + power * values[j][c]);
    states.push({largest, rescale, power, sum: before.sum * rescale + power, total});
  });
  return states.map(state => ({...state, output: state.total.map(total => (state.sum ? total / state.sum : 0))}));
}

const LEFT = 184, LINE = 25, WIDTH = 884;

export function mount(live, data) {
  const n = data.scores.length, d = data.values[0].length;
  const score = value => (value === null ? -Infinity : value); // JSON has no infinity
  const start = () => ({scores: data.scores.map(score), values: structuredClone(data.values), read: Math.min(1, n), at: [0, 0]});
  let state = start();
  const bar = add(live, "div", {class: "bar"});
  const go = read => {
    state.read = Math.max(0, Math.min(n, read));
    state.at[1] = Math.max(0, state.read - 1);
    redraw();
  };
  const back = button(bar, "◀ back", () => go(state.read - 1));
  const forward = button(bar, "forward ▶", () => go(state.read + 1));
  const slider = control(bar, "numbers read", {type: "range", min: 0, max: n, step: 1}, input => go(Number(input.value)));
  button(bar, "Reset", () => { state = start(); redraw(); });
  const number = numberField(bar, value => write(...state.at, value));
  const say = saying(live);

  const svg = add(stage(live), "svg"), step = Math.min(104, (WIDTH - LEFT) / n), x = j => LEFT + j * step, BAR = Math.min(40, step - 8);
  const SCORES = [14, 112], WEIGHTS = [140, 214];
  add(svg, "text", {x: LEFT - 12, y: 66, class: "e"}, "scores");
  add(svg, "text", {x: LEFT - 12, y: 82, class: "e s"}, "line: largest so far");
  add(svg, "text", {x: LEFT - 12, y: 180, class: "e"}, "e^(score − largest)");
  const zero = add(svg, "line", {x1: LEFT, x2: x(n), stroke: "currentColor", "stroke-opacity": .35});
  const bars = data.scores.map((_, j) => add(svg, "rect", {x: x(j) + step / 2 - BAR / 2, width: BAR, stroke: "var(--key)", "stroke-width": 1.5, fill: "var(--key)"}));
  const line = add(svg, "path", {fill: "none", stroke: "currentColor", "stroke-width": 2.5});
  const weights = data.scores.map((_, j) => add(svg, "rect", {x: x(j) + step / 2 - BAR / 2, width: BAR, fill: "var(--weight)"}));
  const powers = data.scores.map((_, j) => add(svg, "text", {class: "m s", x: x(j) + step / 2}));
  add(svg, "line", {x1: LEFT, x2: x(n), y1: WEIGHTS[1], y2: WEIGHTS[1], stroke: "currentColor", "stroke-opacity": .35});

  const many = (name, role, key) => data.values[0].map((_, c) => [d > 1 ? `${name} ${c + 1}` : name, role, s => s[key][c]]);
  const rows = [["score", "key"], ...many("value", "value"), ["largest so far", null, s => s.largest], ["rescale by", null, s => s.rescale], ["new: e^(score − largest)", "weight", s => s.power], ["sum", null, s => s.sum], ...many(d > 1 ? "new · value, sum" : "sum of new · value", "value", "total"), [d > 1 ? "output 1 = sum 1 ÷ sum" : "output = that ÷ sum", "output", s => s.output[0]], ...many("output", "output", "output").slice(1)];
  const TOP = WEIGHTS[1] + 18;
  rows.forEach(([name], i) => add(svg, "text", {class: "e s", x: LEFT - 12, y: TOP + i * LINE + 16}, name));
  const table = panel(svg, {name: "the steps: one column for each number", x: LEFT, y: TOP, rows: rows.length, columns: n, width: step, height: LINE, pad: step / 2 - 20, pick: (i, j) => { state.at[0] = i; go(j + 1); }, edit: i => i <= d});
  editable(svg, table.cells, number, (i, j) => input(i, j), (i, j, value) => write(i, j, value));
  frame(svg, WIDTH, table.bottom + 4);

  const input = (i, j) => (i ? state.values[j][i - 1] : state.scores[j]);
  function write(i, j, value) {
    if (i) state.values[j][i - 1] = value;
    else state.scores[j] = value;
    redraw();
  }

  function explain(states) {
    const t = state.read;
    if (!t) return [["Nothing is read yet: the largest score is −∞, the sum is 0. Go forward."]];
    const now = states[t], before = states[t - 1], s = state.scores[t - 1], v = state.values[t - 1][0];
    const said = [[`Step ${t} reads the score `], [plain(s), "key"], [" and the value "], [`${state.values[t - 1].map(plain).join(", ")}`, "value"]];
    if (now.largest === -Infinity) return [...said, [". The score is hidden (−∞), and so was everything before it: nothing changes."]];
    if (t === 1) said.push([`. It is the largest so far.`]);
    else if (now.largest > before.largest) said.push([`. The largest grows from ${plain(before.largest)} to ${plain(now.largest)}, so what was summed shrinks: times e^(${plain(before.largest)} − ${factor(now.largest)}) = ${plain(now.rescale)}.`]);
    else said.push([`. The largest stays ${plain(now.largest)}, so nothing is rescaled.`]);
    said.push([` Sum: ${plain(before.sum)}·${plain(now.rescale)} + `], [plain(now.power), "weight"], [` = ${plain(now.sum)}. Output: (${factor(before.total[0])}·${plain(now.rescale)} + `], [plain(now.power), "weight"], [`·${factor(v)}) ÷ ${plain(now.sum)} = `], [plain(now.output[0]), "output"], [d > 1 ? ", and the same for the other numbers." : "."]);
    if (t === n) said.push([" All is read: this is the softmax of all scores at once, times the values."]);
    return said;
  }

  function draw() {
    const {read, at: [i, j]} = state, states = online(state.scores, state.values), now = states[read];
    fill(slider, read);
    back.disabled = !read;
    forward.disabled = read === n;
    number.parentNode.hidden = i > d;
    number.parentNode.firstChild.data = `${rows[i][0]} of number ${j + 1}`;
    if (i <= d) fill(number, Number.isFinite(input(i, j)) ? input(i, j) : "");
    const seen = state.scores.filter(Number.isFinite), high = Math.max(0, ...seen), low = Math.min(0, ...seen), unit = (SCORES[1] - SCORES[0]) / (high - low || 1);
    const y = value => (value === -Infinity ? SCORES[1] : SCORES[0] + (high - value) * unit);
    set(zero, {y1: y(0), y2: y(0)});
    let path = "";
    state.scores.forEach((s, k) => {
      const top = s === -Infinity ? y(0) : Math.min(y(s), y(0)), done = k < read;
      set(bars[k], {y: top, height: s === -Infinity ? 0 : Math.abs(y(s) - y(0)), "fill-opacity": done ? 1 : 0});
      const weight = done && now.largest > -Infinity ? Math.exp(s - now.largest) : 0, tall = (WEIGHTS[1] - WEIGHTS[0]) * weight;
      set(weights[k], {y: WEIGHTS[1] - tall, height: tall});
      set(powers[k], {y: WEIGHTS[1] - tall - 5}, done ? show(weight) : "");
      if (done && states[k + 1].largest > -Infinity) path += `${path ? "L" : "M"}${x(k)},${y(states[k + 1].largest)}H${x(k + 1)}`;
    });
    set(line, {d: path || "M0,0"});
    const table_values = rows.map(([, , get], i) => state.scores.map((_, j) => (get && i > d ? get(states[j + 1]) : input(i, j))));
    table.update(table_values, (value, i, j) => {
      const shown = i <= d || j < read, name = `${rows[i][0]}, number ${j + 1}`;
      return {tint: rows[i][1] ?? "value", opacity: rows[i][1] && shown ? (j < read ? .3 : .1) : 0, text: shown ? show(value) : "", label: shown ? `${name}: ${show(value)}` : `${name}: not read yet`};
    });
    table.frame("query", ...(read ? [0, read - 1, rows.length, 1] : []));
    say(explain(states));
  }

  const redraw = later(draw);
  draw();
}
