// Many heads: what is chosen among them, and the attention weights of the query. No page in here. They are
// of one layer, or of steps of a training, or of the `layers` of a model: the first axis of `shape`.
import {softmax, sum} from "../kit/numbers.js";

// Numbers that were sent as bytes: low + unit · (an integer of 8 or 16 bits).
export function unpack({text, bits, low, unit}) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let k = 0; k < bytes.length; k++) bytes[k] = letters.charCodeAt(k); // faster than Uint8Array.from
  const whole = bits === 16 ? new Uint16Array(bytes.buffer) : bytes; // little-endian, as everywhere
  const numbers = new Float64Array(whole.length);
  for (let k = 0; k < whole.length; k++) numbers[k] = low + unit * whole[k];
  return numbers;
}

// The weights of every snapshot and head in one row of numbers: as sent, or from queries and keys.
export function weightsOf({shape: [T, H, L, S], weights, query, key, width}) {
  if (weights) return unpack(weights);
  const queries = unpack(query);
  const keys = unpack(key);
  const score = (row, column) => {
    let product = 0;
    for (let c = 0; c < width; c++) product += queries[row * width + c] * keys[column * width + c];
    return product / Math.sqrt(width);
  };
  const result = new Float64Array(T * H * L * S);
  for (let row = 0; row < T * H * L; row++) {
    const first = Math.floor(row / L) * S; // of the keys of this head
    const scores = [];
    for (let j = 0; j < S; j++) scores.push(score(row, first + j));
    result.set(softmax(scores).weights, row * S);
  }
  return result;
}

// What is computed once.
export const prepare = data => ({
  ...data,
  keys: data.key_tokens ?? data.tokens,
  weights: weightsOf(data),
  heads: data.layers ? data.heads.map(number => `head ${number}`) : data.heads,
  numbers: data.heads,
});

// `key` is the key whose weight is told, `over` what a pointer is over: a query and a key.
export function begin({shape: [, , L, S], step = 0, head = 0, asks = L - 1}) {
  return {step, head, asks, key: null, over: null, least: crowded(L, S) ? 0.08 : 0.01};
}

// Are the bands so many that the thin ones are better hidden?
export const crowded = (L, S) => Math.max(L, S) > 16;

export const go = (state, step) => ({...state, step});

export const ask = (state, asks) => ({...state, asks, key: null});

export const hover = (state, asks, key) => ({...state, over: [asks ?? state.asks, key]});

// One head's weights at one step: L rows of S numbers in one.
export function mapOf({shape: [, H, L, S], weights}, step, head) {
  const first = (step * H + head) * L * S;
  return weights.subarray(first, first + L * S);
}

// `order` has the keys, the largest weight first.
export function compute(state, data) {
  const S = data.keys.length;
  const [asks, key] = state.over ?? [state.asks, state.key];
  const map = mapOf(data, state.step, state.head);
  const weights = Array.from(map.subarray(asks * S, (asks + 1) * S));
  const order = weights.map((_, k) => k).sort((a, b) => weights[b] - weights[a] || a - b);
  return {asks, key, map, weights, order, total: sum(weights)};
}
