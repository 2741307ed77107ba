// What a model keeps of the words that it has read, for six kinds of attention. No page in here.
import {clamp} from "../kit/numbers.js";

// Numbers that a layer keeps of a word; of a state, once for all words.
const pairs = heads => sizes => 2 * sizes[heads] * sizes.head_dim;
const NUMBERS = {
  grouped: pairs("num_kv_heads"),
  latent: ({latent_dim, rope_dim}) => latent_dim + rope_dim,
  state: ({num_heads, head_dim}) => num_heads * head_dim ** 2,
};

// Bytes that a layer keeps of a word, or of a state in all.
export const bytesEach = (kind, sizes) =>
  (NUMBERS[kind] ?? pairs("num_heads"))(sizes) * sizes.itemsize;

// Is word j kept, with a row of its own, when word i is the newest?
export function isKept(kind, i, j, {window, sinks}) {
  if (j > i || kind === "state") return false;
  if (kind !== "window" && kind !== "sinks") return true;
  return i - j < window || (kind === "sinks" && j < sinks);
}

// What a kind keeps of the first `read` words: how many rows of how many bytes, and bytes in all.
export function keeps(kind, read, sizes) {
  const each = bytesEach(kind, sizes);
  if (kind === "state") return {kind, rows: 1, each, bytes: each};
  const rows = Array.from({length: read}, (_, j) => isKept(kind, read - 1, j, sizes));
  const count = rows.filter(Boolean).length;
  return {kind, rows: count, each, bytes: count * each};
}

// What has become of word j for word i, the newest of its time.
export function fate(kind, i, j, sizes) {
  if (j > i) return "later";
  if (kind === "state") return "overlaid";
  return isKept(kind, i, j, sizes) ? "kept" : "dropped";
}

// `read` is how many words have come, 1 at least, `kind` the one whose map is shown.
export const begin = ({step, kind}) => ({read: step, kind});

export const go = (state, read, {tokens}) => ({...state, read: clamp(read, 1, tokens.length)});

// `most` is the longest bar of all, when every word has come; `map` has a row for each newest word.
export function compute({read, kind}, {tokens, kinds, sizes}) {
  const n = tokens.length;
  const all = kinds.map(one => keeps(one, read, sizes));
  const most = Math.max(...kinds.map(one => keeps(one, n, sizes).bytes));
  const map = tokens.map((_, i) =>
    tokens.map((_, j) => (i < read ? fate(kind, i, j, sizes) : "later")),
  );
  const last = tokens.map((_, j) => fate(kind, read - 1, j, sizes));
  return {all, most, map, last, chosen: keeps(kind, read, sizes)};
}
