// Positions: what is chosen, and the turn between two positions. No page in here.
import {clamp, dot} from "../kit/numbers.js";

export const QUERY = [1, 0.3]; // the two arrows that RoPE turns
export const KEY = [0.7, -0.7];
export const BASES = [2, 100, 10000, 1000000];
const ON = 5; // both positions so much further, for comparison

// Radians per position of pair j: 1 / base^(2j/dim).
export const speed = (j, dim, base) => base ** ((-2 * j) / dim);

// RoPE on one pair of numbers: a turn by `angle`.
export function turn([a, b], angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [a * cos - b * sin, a * sin + b * cos];
}

export const angleOf = ([x, y]) => Math.atan2(y, x);

// A query at a times a key at b, both turned.
export function turnedScore(query, key, a, b, pair, dim, base) {
  const w = speed(pair, dim, base);
  return dot(turn(query, a * w), turn(key, b * w));
}

export function begin({a, b, base, length}) {
  const last = length - 1;
  const places = {a: Math.min(a, last), b: Math.min(b, last)};
  return {...places, pair: 0, base, keep: false, carried: false, last};
}

export const onlyClocks = ({parts}) => parts.length === 1;
// From a to b; of arrows the query's position minus the key's, as in RoPE.
export const steps = ({a, b}, data) => (onlyClocks(data) ? b - a : a - b);

// Move "a" or "b". If the distance is kept, the other goes along, and both stop where one of them
// would leave the row. `carried` remembers that it went along.
export function move(state, moved, to) {
  if (!state.keep) return {...state, [moved]: to};
  const other = moved === "a" ? "b" : "a";
  const by = clamp(to - state[moved], -state[other], state.last - state[other]);
  const carried = state.carried || by !== 0;
  return {...state, carried, [moved]: state[moved] + by, [other]: state[other] + by};
}

// What is played: clocks alone show how b leaves a; with arrows both go on together.
export const playOf = data => {
  const alone = onlyClocks(data);
  const keep = state => ({...state, keep: true});
  return {
    next: state => (alone ? move(state, "b", state.b + 1) : move(keep(state), "b", state.b + 1)),
    rewind: state =>
      alone ? {...state, b: state.a} : move(keep(state), "a", Math.max(0, state.a - state.b)),
    ended: ({a, b, last}) => Math.max(alone ? b : a, b) >= last,
  };
};

// The speed of every pair; of the chosen one, the turn, the angles of query and key, their products.
export function compute({a, b, pair, base}, data) {
  const speeds = Array.from({length: data.dim / 2}, (_, j) => speed(j, data.dim, base));
  const score = by => turnedScore(QUERY, KEY, a + by, b + by, pair, data.dim, base);
  return {
    speeds,
    speed: speeds[pair],
    turn: steps({a, b}, data) * speeds[pair],
    angles: {query: angleOf(QUERY) + a * speeds[pair], key: angleOf(KEY) + b * speeds[pair]},
    further: {a: a + ON, b: b + ON},
    products: {still: dot(QUERY, KEY), turned: score(0), further: score(ON)},
  };
}
