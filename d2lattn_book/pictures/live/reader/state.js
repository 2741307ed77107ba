// The model: what it has read, which heads are on, what it says next. No page in here.
import {clamp, sum} from "../kit/numbers.js";
import {readWords} from "../kit/words.js";
import {probabilities, read, unpack} from "./model.js";

export const prepare = data => ({...data, model: {...data.model, weights: unpack(data.model)}});

// `passed` is how many words went through the model at each step, and `kept` how many rows the last
// step took from the cache; `asks` is null where the last word asks; `off` are heads that count 0.
export function begin(data) {
  const {num_layers: layers, num_heads: heads} = data.model.sizes;
  const {begins: text, layer, head, temperature, most} = data;
  const asks = data.asks < reads(text, data).tokens.length - 1 ? data.asks : null;
  const off = Array.from({length: layers}, () => Array(heads).fill(false));
  const chosen = {asks, layer, head, temperature, most, off, cache: true, seed: 1};
  return type({...chosen, text}, text, data);
}

// The numbers of the words of a text, and the words that are not in the vocabulary. What stops a
// text is read before it, too.
export function reads(text, {vocabulary, stop, room}) {
  const {known, unknown} = readWords(text, vocabulary);
  const tokens = stop === null ? known : [stop, ...known];
  return {tokens: tokens.slice(0, room), unknown, left: tokens.length > room};
}

// What a text may become: its last word, begun, as each word of the vocabulary that begins so.
export function completed(text, {vocabulary}) {
  const begun = /\S*$/.exec(text)[0];
  const small = begun.toLowerCase();
  const words = vocabulary.filter(word => word.toLowerCase().startsWith(small));
  const done = !begun || words.some(word => word.toLowerCase() === small);
  return done ? [] : words.map(word => text.slice(0, text.length - begun.length) + word);
}

// Another text is read from its first word.
export function type(state, text, data) {
  const {length} = reads(text, data).tokens;
  const asks = state.asks !== null && state.asks < length ? state.asks : null;
  return {...state, text, typed: text, asks, passed: [length], kept: 0};
}

// Other heads: what was kept was made with those before, so all is read again.
export function toggle(state, layer, head) {
  const off = state.off.map((row, n) =>
    row.map((one, h) => (n === layer && h === head ? !one : one)),
  );
  return {...state, off, kept: 0};
}

export const show = (state, layer, head) => ({...state, layer, head});

// Is there no next word? A text that was begun ends with what stops it.
export function full({text}, data) {
  const {tokens} = reads(text, data);
  const ended = tokens.length > 1 && tokens.at(-1) === data.stop;
  return ended || !tokens.length || tokens.length >= data.room;
}

// Draw the next word and read it: with the cache that one alone, without it all from the first.
export function write(state, data) {
  if (full(state, data)) return state;
  const {tokens} = reads(state.text, data);
  const {logits} = read(data.model, tokens, state.off);
  const probs = probabilities(logits.at(-1), state.temperature, state.most);
  const next = data.vocabulary[draw(probs, uniform(state.seed))];
  const length = tokens.length;
  const passed = [...state.passed, state.cache ? 1 : length + 1];
  const text = `${state.text} ${next}`.trim();
  return {...state, text, asks: null, seed: state.seed + 1, passed, kept: state.cache ? length : 0};
}

export const rewind = (state, data) => type(state, state.typed, data);

function draw(probs, at) {
  let used = 0;
  const drawn = probs.findIndex(one => one && (used += one) > at);
  return drawn < 0 ? probs.indexOf(Math.max(...probs)) : drawn;
}

// A number from 0 to 1 for each seed (mulberry32, by Tommy Ettinger).
function uniform(seed) {
  let t = (seed * 0x6d2b79f5) | 0;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

// All maps, and what may come after who asks. With the cache the rows before come from what was
// kept; `all` are the probabilities if no head is off.
export function compute(state, data) {
  const {tokens, unknown, left} = reads(state.text, data);
  const {off, temperature, most, kept} = state;
  const used = {steps: state.passed, total: sum(state.passed), over: full(state, data)};
  if (!tokens.length) return {tokens, unknown, left, used, maps: [], asks: null, weights: []};
  const before = kept ? read(data.model, tokens.slice(0, kept), off) : null;
  const {layers, logits} = read(data.model, tokens.slice(kept), off, before);
  const asks = clamp(state.asks ?? Infinity, 0, tokens.length - 1);
  const silent = off.flat().some(Boolean);
  const whole = silent ? read(data.model, tokens, []).logits : logits;
  const maps = layers.map(one => one.maps); // of each layer: words × heads × weights
  const weights = maps[state.layer][asks][state.head];
  const probs = probabilities(logits[asks], temperature, most);
  const all = silent ? probabilities(whole[asks], temperature, most) : probs;
  const order = probs.map((_, k) => k).sort((a, b) => probs[b] - probs[a] || a - b);
  return {tokens, unknown, left, used, maps, asks, weights, probs, all, order, silent, logits};
}
