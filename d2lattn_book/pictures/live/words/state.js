// The map of words: a sentence, who asks in it, and where every word stands. No page in here.
import {clamp, dot, hundredths, softmax, sum} from "../kit/numbers.js";
import {readWords} from "../kit/words.js";

const MOST = 12; // words of a sentence that are read
const MARGIN = 0.14; // around the words, as a part of the map;
const NAMES = 0.28; // to the right so much more, for names

export const prepare = data => ({...data, frame: frameOf(data.x)});

// What the map shows: [left, bottom], [right, top], with the origin in it.
function frameOf(x) {
  const along = c => [...x.map(place => place[c]), 0];
  const low = [0, 1].map(c => Math.min(...along(c)));
  const high = [0, 1].map(c => Math.max(...along(c)));
  const room = MARGIN * (Math.max(high[0] - low[0], high[1] - low[1]) || 1);
  const [right, top] = high.map(value => value + room);
  return [low.map(value => value - room), [right + (room * NAMES) / MARGIN, top]];
}

// `asks` is a place in the sentence, among its words that are on the map; `wanted` is the word that
// a hand has chosen to ask, by its number in the vocabulary.
export function begin({sentences, x, asks, vocabulary}) {
  const text = sentences[0];
  return {text, x, asks, wanted: reads(text, vocabulary).tokens[asks]};
}

// The words of a text: which of the vocabulary they are, which are not in it, and what is too much.
export function reads(text, vocabulary) {
  const {known, unknown} = readWords(text, vocabulary);
  return {tokens: known.slice(0, MOST), unknown, left: known.length > MOST};
}

// Another text. Who is wanted asks where the word stands in it, else the last one does.
export function type(state, text, vocabulary) {
  const {tokens} = reads(text, vocabulary);
  const still = tokens[state.asks] === state.wanted ? state.asks : tokens.indexOf(state.wanted);
  return {...state, text, asks: still < 0 ? Math.max(0, tokens.length - 1) : still};
}

export function ask(state, asks, vocabulary) {
  return {...state, asks, wanted: reads(state.text, vocabulary).tokens[asks]};
}

// Put word k of the vocabulary somewhere else, on the map.
export function move(state, k, place, [low, high]) {
  const put = place.map((value, c) => hundredths(clamp(value, low[c], high[c])));
  return {...state, x: state.x.map((old, i) => (i === k ? put : old))};
}

// softmax(XXᵀ)X, the row of who asks. `weights` are those of the tokens, `drawn` those of all words.
export function compute({text, x, asks}, {vocabulary}) {
  const {tokens, unknown, left} = reads(text, vocabulary);
  if (!tokens.length) return {tokens, unknown, left, asks: null};
  const rows = tokens.map(k => x[k]);
  const scores = rows.map(row => dot(rows[asks], row));
  const {weights} = softmax(scores);
  const after = [0, 1].map(c => sum(rows.map((row, j) => weights[j] * row[c])));
  const drawn = x.map((_, k) => sum(weights.filter((_weight, j) => tokens[j] === k)));
  return {tokens, unknown, left, asks, word: tokens[asks], scores, weights, after, drawn};
}
