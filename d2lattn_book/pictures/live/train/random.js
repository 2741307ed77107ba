// Chance that repeats itself: the same seed and name give the same numbers. No page in here.

// Numbers from 0 to 1, 32 bits each, from a state that walks on (mulberry32, Tommy Ettinger).
export function uniform(seed, name = "") {
  let state = seed | 0;
  for (const letter of name) state = Math.imul(state ^ letter.charCodeAt(0), 0x9e3779b1) + 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Numbers of the normal distribution (Box and Muller).
export function normals(seed, name) {
  const draw = uniform(seed, name);
  return () => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
}

// A whole number below n.
export const below = (n, draw) => Math.floor(n * draw());

// So many different ones of a list, in an order drawn anew.
export function pick(list, count, draw) {
  const rest = [...list];
  return Array.from({length: count}, () => rest.splice(below(rest.length, draw), 1)[0]);
}
