// A small attention model, its gradient, and Adam: all that learns in the page. No page in here.
//
// A batch is B texts of L words. Whatever belongs to a word is a row: a table of B·L rows of E
// numbers is one flat array. `d` before a name is the slope of the loss there: dy is ∂loss/∂y.
// Every function that computes has one after it, with Back in its name, that carries slopes
// backwards through it by the chain rule.
import {normals} from "./random.js";

const BASE = 100; // of rotary positions; the texts are short
const TINY = 1e-5; // keeps the norm of a zero row from dividing by zero
const MLP = 2; // times the width, in the middle of an MLP

const zeros = like => new like.constructor(like.length);

// a · b, n numbers of each, from these places on. Two sums, so that neither waits for the other:
// nearly all the time goes here and into linearBack.
function dot(a, i, b, j, n) {
  let [even, odd] = [0, 0];
  for (let c = 1; c < n; c += 2) {
    even += a[i + c - 1] * b[j + c - 1];
    odd += a[i + c] * b[j + c];
  }
  return n % 2 ? even + odd + a[i + n - 1] * b[j + n - 1] : even + odd;
}

// y += factor · x, n numbers of each.
function addTo(y, i, x, j, n, factor) {
  for (let c = 0; c < n; c++) y[i + c] += factor * x[j + c];
}

// y = x Wᵀ, row by row: y_o = Σ_c W_oc x_c.
function linear(x, W, n) {
  const [rows, m] = [x.length / n, W.length / n];
  const y = new x.constructor(rows * m);
  for (let r = 0; r < rows; r++) {
    for (let o = 0; o < m; o++) y[r * m + o] = dot(x, r * n, W, o * n, n);
  }
  return y;
}

// dx_c += Σ_o dy_o W_oc and dW_oc += Σ over the rows of dy_o x_c.
function linearBack(dy, x, W, n, dx, dW) {
  const [rows, m] = [x.length / n, W.length / n];
  for (let k = 0; k < rows * m; k++) {
    const slope = dy[k];
    if (slope === 0) continue; // a word that is not asked, or one that max(0, ·) held back
    const [row, out] = [Math.floor(k / m) * n, (k % m) * n];
    for (let c = 0; c < n; c++) {
      dx[row + c] += slope * W[out + c];
      dW[out + c] += slope * x[row + c];
    }
  }
}

// y = x / √(mean of x² + ε): every row gets the same size (RMSNorm, without a weight).
function norm(x, n) {
  const y = zeros(x);
  for (let r = 0; r < x.length; r += n) {
    addTo(y, r, x, r, n, 1 / Math.sqrt(dot(x, r, x, r, n) / n + TINY));
  }
  return y;
}

// dx += (dy − y · mean of dy·y) / √(mean of x² + ε).
function normBack(dy, y, x, n, dx) {
  for (let r = 0; r < x.length; r += n) {
    const factor = 1 / Math.sqrt(dot(x, r, x, r, n) / n + TINY);
    addTo(dx, r, dy, r, n, factor);
    addTo(dx, r, y, r, n, (-factor * dot(dy, r, y, r, n)) / n);
  }
}

// Rotary positions: the numbers 2j and 2j + 1 of a head are turned by p / BASE^(2j/d) at place p.
// The gradient is turned back: way = −1.
function turn(x, {L, E, H}, way) {
  const d = E / H;
  for (let k = 0; k < x.length; k += 2) {
    const p = Math.floor(k / E) % L;
    const angle = (way * p) / BASE ** ((k % d) / d);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    [x[k], x[k + 1]] = [x[k] * cos - x[k + 1] * sin, x[k] * sin + x[k + 1] * cos];
  }
}

// Attention ---------------------------------------------------------------------------------------

// Each text and head by itself: where its rows begin, and its map of weights.
function everyHead({L, E, H}, rows, visit) {
  for (let k = 0; k < (rows / L) * H; k++) {
    const from = Math.floor(k / H) * L * E + (k % H) * (E / H);
    for (let i = 0; i < L; i++) visit(i, from, k * L * L + i * L);
  }
}

// w = softmax(s) over n scores, in their place: w_j = e^(s_j − max) / Σ_m e^(s_m − max).
function softmax(s, from, n) {
  let [largest, sum] = [-Infinity, 0];
  for (let j = from; j < from + n; j++) largest = Math.max(largest, s[j]);
  for (let j = from; j < from + n; j++) sum += s[j] = Math.exp(s[j] - largest);
  for (let j = from; j < from + n; j++) s[j] /= sum;
}

// For each query i: s_j = q_i · k_j / divisor, w = softmax(s), y_i = Σ_j w_j v_j. With the mask, j
// goes from the first word to i only.
function attend({q, k, v}, sizes) {
  const {L, E, H, mask, divisor} = sizes;
  const d = E / H;
  const weights = new q.constructor((q.length / E) * H * L); // (B, H, L, L)
  const y = zeros(q);
  everyHead(sizes, q.length / E, (i, from, w) => {
    const [seen, asks] = [mask ? i + 1 : L, from + i * E];
    for (let j = 0; j < seen; j++) weights[w + j] = dot(q, asks, k, from + j * E, d) / divisor;
    softmax(weights, w, seen);
    for (let j = 0; j < seen; j++) addTo(y, asks, v, from + j * E, d, weights[w + j]);
  });
  return {weights, y};
}

// Backwards: dv_j += w_j dy_i, dw_j = dy_i · v_j; through the softmax ds_j = w_j (dw_j − Σ_m w_m dw_m);
// dq_i += ds_j k_j / divisor and dk_j += ds_j q_i / divisor.
function attendBack(dy, {q, k, v, weights}, sizes) {
  const {L, E, H, mask, divisor} = sizes;
  const d = E / H;
  const [dq, dk, dv, dw] = [zeros(q), zeros(k), zeros(v), new q.constructor(L)];
  everyHead(sizes, q.length / E, (i, from, w) => {
    const [seen, asks] = [mask ? i + 1 : L, from + i * E];
    for (let j = 0; j < seen; j++) {
      addTo(dv, from + j * E, dy, asks, d, weights[w + j]);
      dw[j] = dot(dy, asks, v, from + j * E, d);
    }
    const mean = dot(weights, w, dw, 0, seen);
    for (let j = 0; j < seen; j++) {
      const ds = (weights[w + j] * (dw[j] - mean)) / divisor;
      addTo(dq, asks, k, from + j * E, d, ds);
      addTo(dk, from + j * E, q, asks, d, ds);
    }
  });
  return {dq, dk, dv};
}

// The model ---------------------------------------------------------------------------------------

// The weights, by name: [rows, numbers in a row].
function shapesOf({V, L, E, layers, positions, same_qk: same, mlp}) {
  const shapes = {embedding: [V, E]};
  if (positions === "added") shapes.position = [L, E];
  for (let n = 0; n < layers; n++) {
    for (const name of same ? "qvo" : "qkvo") shapes[name + n] = [E, E];
    if (mlp) Object.assign(shapes, {[`in${n}`]: [MLP * E, E], [`out${n}`]: [E, MLP * E]});
  }
  return {...shapes, logits: [V, E]};
}

const VECTORS = ["embedding", "position"];
const DIVISORS = {1: () => 1, "√d": Math.sqrt, d: d => d};

// A model before its first step. A weight is drawn by its own name, so that two models with one
// seed have all weights in common that both have. The numbers of vectors have the size 1, those of
// matrices 1/√(numbers in a row).
export function create(settings, {V, L}, Numbers = Float64Array) {
  const {width: E, heads: H, ...chosen} = settings;
  const sizes = {...chosen, V, L, E, H, divisor: DIVISORS[settings.divisor](E / H)};
  const weights = {};
  for (const [name, [rows, n]] of Object.entries(shapesOf(sizes))) {
    const draw = normals(settings.seed, name);
    const size = VECTORS.includes(name) ? 1 : 1 / Math.sqrt(n);
    weights[name] = Numbers.from({length: rows * n}, () => draw() * size);
  }
  return {sizes, weights};
}

// x = the word's own vector, plus that of its position where positions are added.
function embed({sizes: {L, E, positions}, weights}, tokens) {
  const x = new weights.embedding.constructor(tokens.length * E);
  tokens.forEach((token, r) => {
    addTo(x, r * E, weights.embedding, token * E, E, 1);
    if (positions === "added") addTo(x, r * E, weights.position, (r % L) * E, E, 1);
  });
  return x;
}

const plus = (a, b) => a.map((value, c) => value + b[c]);

// x + attention(norm(x)), then x + MLP(norm(x)): what a layer computes, all of it kept.
function layer({sizes, weights}, n, x) {
  const {E, positions, same_qk: same, mlp} = sizes;
  const a = norm(x, E);
  const project = name => linear(a, weights[name + n], E);
  const kept = {x, a, q: project("q"), k: project(same ? "q" : "k"), v: project("v")};
  if (positions === "rotary") for (const side of [kept.q, kept.k]) turn(side, sizes, 1);
  Object.assign(kept, attend(kept, sizes));
  kept.after = plus(x, linear(kept.y, weights[`o${n}`], E));
  if (!mlp) return {...kept, out: kept.after};
  const b = norm(kept.after, E);
  const inner = linear(b, weights[`in${n}`], E).map(value => Math.max(0, value));
  return {...kept, b, inner, out: plus(kept.after, linear(inner, weights[`out${n}`], MLP * E))};
}

// What the model makes of B·L words, with all that happens on the way.
export function forward(model, tokens) {
  const {layers: count, E} = model.sizes;
  const layers = [];
  let x = embed(model, tokens);
  for (let n = 0; n < count; n++) {
    layers.push(layer(model, n, x));
    x = layers[n].out;
  }
  const top = norm(x, E);
  return {tokens, layers, x, top, logits: linear(top, model.weights.logits, E)};
}

// The mean of −ln p(target) over the words that are asked, those with a target of 0 or more; and
// its slope at the logits, (p − 1 at the target) / number of these words.
export function crossEntropy(logits, targets, V) {
  const p = logits.slice();
  const asked = targets.filter(target => target >= 0).length;
  let loss = 0;
  targets.forEach((target, r) => {
    softmax(p, r * V, V);
    if (target < 0) return;
    loss -= Math.log(p[r * V + target]) / asked;
  });
  const dlogits = p.map((value, k) => {
    const target = targets[Math.floor(k / V)];
    return target < 0 ? 0 : (value - (k % V === target)) / asked;
  });
  return {loss, p, dlogits};
}

// Backwards through a layer: the slope at its input, from that at its output.
function layerBack({sizes, weights}, n, kept, dout, grads) {
  const {E, positions, same_qk: same, mlp} = sizes;
  const at = name => [weights[name + n], E];
  let dafter = dout;
  if (mlp) {
    const [dinner, db] = [zeros(kept.inner), zeros(kept.b)];
    const out = weights[`out${n}`];
    linearBack(dout, kept.inner, out, MLP * E, dinner, grads[`out${n}`]);
    kept.inner.forEach((value, c) => value > 0 || (dinner[c] = 0)); // max(0, ·) passes it or not
    linearBack(dinner, kept.b, ...at("in"), db, grads[`in${n}`]);
    dafter = dout.slice();
    normBack(db, kept.b, kept.after, E, dafter);
  }
  const [dy, da, dx] = [zeros(kept.y), zeros(kept.a), dafter.slice()];
  linearBack(dafter, kept.y, ...at("o"), dy, grads[`o${n}`]);
  const {dq, dk, dv} = attendBack(dy, kept, sizes);
  if (positions === "rotary") for (const side of [dq, dk]) turn(side, sizes, -1);
  const key = same ? "q" : "k";
  linearBack(dq, kept.a, ...at("q"), da, grads[`q${n}`]);
  linearBack(dk, kept.a, ...at(key), da, grads[key + n]);
  linearBack(dv, kept.a, ...at("v"), da, grads[`v${n}`]);
  normBack(da, kept.a, kept.x, E, dx);
  return dx;
}

// The loss of a batch, and its slope at every weight, by name.
export function gradient(model, tokens, targets) {
  const {V, L, E, positions} = model.sizes;
  const kept = forward(model, tokens);
  const {loss, dlogits} = crossEntropy(kept.logits, targets, V);
  const grads = {};
  for (const name in model.weights) grads[name] = zeros(model.weights[name]);
  const dtop = zeros(kept.top);
  linearBack(dlogits, kept.top, model.weights.logits, E, dtop, grads.logits);
  let dx = zeros(kept.x);
  normBack(dtop, kept.top, kept.x, E, dx);
  for (let n = kept.layers.length - 1; n >= 0; n--) {
    dx = layerBack(model, n, kept.layers[n], dx, grads);
  }
  tokens.forEach((token, r) => {
    addTo(grads.embedding, token * E, dx, r * E, E, 1);
    if (positions === "added") addTo(grads.position, (r % L) * E, dx, r * E, E, 1);
  });
  return {loss, grads};
}

// Adam (Kingma and Ba 2015): m and s are running means of the slope and of its square; the early
// ones are corrected for their start at 0; W −= rate · m / (√s + ε).
export function adam({weights}, rate, [beta, gamma] = [0.9, 0.99]) {
  const means = Object.entries(weights).map(([name, W]) => [name, W, zeros(W), zeros(W)]);
  let t = 0;
  return grads => {
    t += 1;
    const [fair, square] = [1 - beta ** t, 1 - gamma ** t];
    for (const [name, W, m, s] of means) {
      grads[name].forEach((slope, c) => {
        m[c] = beta * m[c] + (1 - beta) * slope;
        s[c] = gamma * s[c] + (1 - gamma) * slope * slope;
        W[c] -= (rate * (m[c] / fair)) / (Math.sqrt(s[c] / square) + 1e-8);
      });
    }
  };
}
