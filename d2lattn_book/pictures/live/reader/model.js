// A decoder in plain numbers: the same as d2lattn.Decoder, chapter 9. No page in here.
import {softmax} from "../kit/numbers.js";

// A loop and not a `reduce`: nearly all the time goes here.
function dot(a, b) {
  let total = 0;
  for (let i = 0; i < a.length; i++) total += a[i] * b[i];
  return total;
}

// One number of sixteen bits: a sign, five bits of exponent, ten of fraction.
function half(bits) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

// The weights by name, each as its rows.
export function unpack({shapes, text}) {
  const letters = atob(text);
  const numbers = new Float64Array(letters.length / 2);
  for (let k = 0; k < numbers.length; k++) {
    numbers[k] = half(letters.charCodeAt(2 * k) + 256 * letters.charCodeAt(2 * k + 1));
  }
  const weights = {};
  let from = 0;
  for (const [name, [rows, width = 1]] of Object.entries(shapes)) {
    const row = i => numbers.subarray(from + i * width, from + (i + 1) * width);
    weights[name] = Array.from({length: rows}, (_, i) => row(i));
    from += rows * width;
  }
  return weights;
}

const plus = (a, b) => a.map((value, i) => value + b[i]);

function linear({weights}, name, x) {
  const rows = weights[`${name}.weight`];
  const bias = weights[`${name}.bias`];
  const y = new Float64Array(rows.length);
  for (let i = 0; i < y.length; i++) y[i] = dot(x, rows[i]) + (bias ? bias[i][0] : 0);
  return y;
}

// (x − mean) / √(variance + 1e-5), then a factor and a term for each number.
function norm({weights}, name, x) {
  const mean = x.reduce((total, value) => total + value, 0) / x.length;
  const variance = x.reduce((total, value) => total + (value - mean) ** 2, 0) / x.length;
  const factor = 1 / Math.sqrt(variance + 1e-5);
  const gain = weights[`${name}.weight`];
  const bias = weights[`${name}.bias`];
  return x.map((value, i) => (value - mean) * factor * gain[i][0] + (bias?.[i][0] ?? 0));
}

const gelu = x => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));

// The angle at place p of pair j of a vector of this width.
const angle = (p, j, width, base) => p / base ** ((2 * j) / width);

function embed({sizes: {positions, embed_dim: width, base}, weights}, token, p) {
  const x = weights["embedding.weight"][token];
  if (positions === "learned") return plus(x, weights["position.weight"][p]);
  if (positions !== "sinusoidal") return x;
  return x.map((value, i) => {
    const turn = angle(p, Math.floor(i / 2), width, base);
    return value + (i % 2 ? Math.cos(turn) : Math.sin(turn));
  });
}

// The heads of a vector; with rotary positions each pair of numbers is turned.
function heads({sizes: {positions, base}}, x, count, p, turns) {
  const width = x.length / count;
  return Array.from({length: count}, (_, h) => {
    const head = x.slice(h * width, (h + 1) * width);
    if (!turns || positions !== "rotary") return head;
    return head.map((value, i) => {
      const turn = angle(p, Math.floor(i / 2), width, base);
      const other = head[i ^ 1];
      return value * Math.cos(turn) + (i % 2 ? other : -other) * Math.sin(turn);
    });
  });
}

// One word at place p goes through a layer: it adds its keys and values to what is kept, and asks.
function attend({sizes, slopes}, {keys, values}, queries, p) {
  const {num_heads: H, num_kv_heads: kept, window} = sizes;
  return queries.map((query, h) => {
    const from = Math.floor((h * kept) / H); // the head of keys that this head reads
    const seen = keys.map((_, j) => window === null || p - j < window);
    const scores = keys.map((key, j) => {
      const far = slopes ? slopes[h] * (p - j) : 0;
      return dot(query, key[from]) / Math.sqrt(query.length) - far;
    });
    const {weights} = softmax(scores, seen);
    const found = query.map((_, c) =>
      weights.reduce((total, w, j) => total + w * values[j][from][c], 0),
    );
    return {weights, found};
  });
}

function layer(model, n, kept, x, p, off) {
  const {num_heads: H, num_kv_heads: few, mlp_dim: wide} = model.sizes;
  const name = `blocks.${n}.`;
  const normed = norm(model, `${name}attention_norm`, x);
  const project = kind => linear(model, `${name}attention.${kind}_proj`, normed);
  kept.keys.push(heads(model, project("k"), few, p, true));
  kept.values.push(heads(model, project("v"), few, p, false));
  const answers = attend(model, kept, heads(model, project("q"), H, p, true), p);
  kept.maps.push(answers.map(({weights}) => weights));
  const joined = answers.flatMap(({found}, h) => [...(off[n]?.[h] ? found.fill(0) : found)]);
  const after = plus(x, linear(model, `${name}attention.out_proj`, joined));
  if (!wide) return after;
  const inner = linear(model, `${name}mlp.0`, norm(model, `${name}mlp_norm`, after)).map(gelu);
  return plus(after, linear(model, `${name}mlp.2`, inner));
}

// Read tokens one after the other. `before` is what was kept of those before them: keys, values and
// maps of every layer, and the logits after every word. `off[layer][head]` is a head that counts 0.
export function read(model, tokens, off = [], before = null) {
  const layers = Array.from({length: model.sizes.num_layers}, (_, n) => {
    const {keys = [], values = [], maps = []} = before?.layers[n] ?? {};
    return {keys: [...keys], values: [...values], maps: [...maps]};
  });
  const logits = [...(before?.logits ?? [])];
  for (const token of tokens) {
    const p = logits.length;
    let x = embed(model, token, p);
    layers.forEach((kept, n) => (x = layer(model, n, kept, x, p, off)));
    const top = model.sizes.tied ? "embedding" : "to_logits";
    logits.push(linear(model, top, norm(model, "norm", x)));
  }
  return {layers, logits};
}

// softmax(logits / temperature) over the largest; temperature 0 takes the largest alone.
export function probabilities(logits, temperature, most) {
  const order = Array.from(logits, (_, k) => k).sort((a, b) => logits[b] - logits[a] || a - b);
  const may = new Set(order.slice(0, temperature ? most : 1));
  const scores = Array.from(logits, value => value / (temperature || 1));
  return softmax(
    scores,
    scores.map((_, k) => may.has(k)),
  ).weights;
}
