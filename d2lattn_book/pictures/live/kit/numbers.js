// Numbers and words that every figure shares. Nothing in this file knows of a page.

// A number as it stands in a cell: fixed places, a true minus sign, never "−0.00".
export function show(value, places = 2) {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const text = digits(Math.abs(value), places);
  return (value < 0 && Number(text) !== 0 ? "−" : "") + text;
}

function digits(size, places) {
  if (size >= 1e4 || (size > 0 && size < 1e-9)) return inTens(size, 1);
  return size.toFixed(size >= 100 ? Math.min(1, places) : places);
}

// A number with a power of ten, with true minus signs.
export const inTens = (value, places) => value.toExponential(places).replaceAll("-", "−");

// A number in a narrow cell: five characters at most, whole numbers from 100, powers of ten from
// 1000.
export function short(value) {
  const size = Math.abs(value);
  if (size < 1e-9) return show(0);
  if (size < 9.995) return show(value, 2);
  if (size < 99.95) return show(value, 1);
  if (size < 1000 || size === Infinity) return show(value, 0);
  return inTens(value, 0).replace("e+", "e");
}

// A number inside arithmetic: no needless zeros; as a factor, brackets around what is negative.
export const plain = value =>
  show(value)
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");
export const factor = value => (plain(value)[0] === "−" ? `(${plain(value)})` : plain(value));

// A word in a box with room for so many letters.
export const cut = (word, most) => (word.length > most ? word.slice(0, most - 1) + "…" : word);

export const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

export const sum = values => values.reduce((total, value) => total + value, 0);

export const hundredths = value => Math.round(value * 100) / 100;

export const dot = (a, b) => a.reduce((total, value, i) => total + value * b[i], 0);

// The same rows with another value at (i, j).
export const replaced = (rows, i, j, value) =>
  rows.map((row, r) => (r === i ? row.map((old, c) => (c === j ? value : old)) : row));

// Softmax of the visible scores. A row that sees nothing has weights of 0, as in the package.
export function softmax(scores, visible = scores.map(() => true)) {
  const largest = Math.max(...scores.filter((_, j) => visible[j]));
  if (largest === -Infinity) return {weights: scores.map(() => 0), sum: 0, largest};
  const powers = scores.map((score, j) => (visible[j] ? Math.exp(score - largest) : 0));
  const total = sum(powers);
  return {weights: powers.map(power => power / total), sum: total, largest};
}
