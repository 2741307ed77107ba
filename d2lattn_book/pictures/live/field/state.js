// A stack of convolutions: what is chosen, what one unit sees, what a layer costs. No page in here.
import {sum} from "../kit/numbers.js";

export const N = 17; // positions that are drawn
export const DEPTH = 5; // layers at most

// Where a layer reads, relative to its own position: `k` taps, `dilation` positions apart.
export function taps(k, dilation, causal) {
  const first = causal ? 1 - k : -(k - 1) / 2;
  return Array.from({length: k}, (_, t) => (first + t) * dilation);
}

export const dilationOf = (layer, k, dilated) => (dilated ? k ** layer : 1);

// The positions that unit i of a layer reads.
function readBy(i, n, reads) {
  return reads.map(tap => i + tap).filter(from => from >= 0 && from < n);
}

// The units that unit `top` of layer `depth` sees: positions for each level, inputs first.
export function seen({n, k, depth, dilated, causal, top}) {
  const levels = [[top]];
  for (let layer = depth - 1; layer >= 0; layer--) {
    const reads = taps(k, dilationOf(layer, k, dilated), causal);
    const found = new Set(levels[0].flatMap(unit => readBy(unit, n, reads)));
    levels.unshift([...found].sort((a, b) => a - b));
  }
  return levels;
}

// Layers until every output has seen every input that it may see.
export function layersToConnect(n, k, dilated, causal) {
  if (n === 1) return 0;
  if (k === 1) return Infinity;
  if (!dilated) return Math.ceil(((n - 1) * (causal ? 1 : 2)) / (k - 1));
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

// `at` is the unit that is asked about: its level, 0 for the inputs, and its position.
export function begin({kernel: k, depth, dilated, causal}) {
  const at = [depth, causal ? N - 1 : (N - 1) / 2];
  return {k, depth, dilated, causal, at, n: 1024, d: 64};
}

// An even kernel has no middle, so it is causal; who is asked about stays within the layers.
export function choose(state, others) {
  const next = {...state, ...others};
  const [level, unit] = next.at;
  return {
    ...next,
    causal: next.causal || next.k % 2 === 0,
    at: [Math.min(level, next.depth), unit],
  };
}

export const deepen = (state, depth) => choose(state, {depth, at: [depth, state.at[1]]});

// Every connection of the stack: the layer below, from where, to where, and whether it is used.
export function linksOf({k, depth, dilated, causal}, level, found) {
  const links = [];
  for (let layer = 0; layer < depth; layer++) {
    const reads = taps(k, dilationOf(layer, k, dilated), causal);
    for (let to = 0; to < N; to++) {
      const used = layer < level && found[layer + 1].includes(to);
      for (const from of readBy(to, N, reads)) links.push({layer, from, to, used});
    }
  }
  return links;
}

export function compute(state) {
  const {k, dilated, causal, at, n, d} = state;
  const [level, top] = at;
  const found = seen({n: N, k, depth: level, dilated, causal, top});
  const dilations = Array.from({length: level}, (_, layer) => dilationOf(layer, k, dilated));
  return {
    found,
    dilations,
    width: 1 + (k - 1) * sum(dilations), // of the receptive field
    links: linksOf(state, level, found),
    costs: costs(n, d, k, dilated, causal),
  };
}
