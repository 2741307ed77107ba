// Many heads: what is chosen among them, and the attention weights of the query. No page in here. They are
// of one layer, or of steps of a training, or of the `layers` of a model: the first axis of `shape`.
import {sum} from "../kit/numbers.js";

// The weights of every snapshot and head, sent as bytes: low + unit · (an integer of 8 or 16 bits).
export function unpack({text, bits, low, unit}) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let k = 0; k < bytes.length; k++) bytes[k] = letters.charCodeAt(k); // faster than Uint8Array.from
  const whole = bits === 16 ? new Uint16Array(bytes.buffer) : bytes; // little-endian, as everywhere
  const numbers = new Float64Array(whole.length);
  for (let k = 0; k < whole.length; k++) numbers[k] = low + unit * whole[k];
  return numbers;
}

// What is computed once.
export const prepare = data => ({
  ...data,
  keys: data.key_tokens ?? data.tokens,
  weights: unpack(data.weights),
  unit: data.weights.unit,
  heads: data.layers ? data.heads.map(number => `head ${number}`) : data.heads,
  numbers: data.heads,
});

// `key` is the key whose weight is told, `over` what a pointer has moved over: a query and a key. What
// is picked counts, until the pointer moves.
export function begin({shape: [, , L, S], step = 0, head = 0, asks = L - 1}) {
  const least = crowded(L, S) ? Math.min(0.08, 0.9 / S) : 0.01; // below uniform weights
  return {step, head, asks, key: null, over: null, least};
}

// Are the bands so many that the thin ones are better hidden?
export const crowded = (L, S) => Math.max(L, S) > 16;

export const go = (state, step) => ({...state, step});

export const ask = (state, asks) => ({...state, asks, key: null, over: null});

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
