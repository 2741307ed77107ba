// Where a name may stand beside its point, clear of the others. No page in here.

const LETTER = 8.2; // the width of a letter
const HIGH = 16;
const SAMPLES = 24; // of a line

// Steps from the point, and how the text is aligned; the first are the best.
const SIDES = [
  [12, 5, "start"],
  [0, -14, "middle"],
  [0, 26, "middle"],
  [-12, 5, "end"],
  [10, -12, "start"],
  [10, 24, "start"],
  [-10, -12, "end"],
  [-10, 24, "end"],
  [0, -32, "middle"],
  [0, 42, "middle"],
  [14, -36, "start"],
  [-8, 38, "start"],
];
const PART = {start: 0, middle: 0.5, end: 1};

function boxOf({text, x, y, anchor, strong}) {
  const width = text.length * LETTER * (strong ? 1.06 : 1);
  const left = x - width * PART[anchor];
  return {left, right: left + width, top: y - HIGH + 4, bottom: y + 4};
}

const around = ([x, y], reach) => ({
  left: x - reach,
  right: x + reach,
  top: y - reach,
  bottom: y + reach,
});

// A band from a point to another, as boxes along it.
const along = ({from, to, thick}) =>
  Array.from({length: SAMPLES}, (_, i) =>
    around(
      from.map((value, c) => value + ((i + 1) / (SAMPLES + 1)) * (to[c] - value)),
      thick / 2,
    ),
  );

const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

// How far a place is from a text.
const gap = ({left, right, top, bottom}, [x, y]) =>
  Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));

// The texts with their places, near to what they name, and clear of those that are `named` already,
// of points and of bands. A word that is not in the sentence goes where there is no room.
export function besides(texts, {named, bands, width, height}) {
  const points = texts.map(one => around(one.at, 7));
  const crossed = bands.flatMap(along);
  const taken = named.map(boxOf);
  const placed = [];
  const costOf = (box, at) => {
    const outside = box.left < 0 || box.right > width || box.top < 0 || box.bottom > height;
    const met = boxes => boxes.filter(other => meet(box, other)).length;
    const strays = texts.some(other => gap(box, other.at) < gap(box, at) - 1);
    return 40 * outside + 30 * met(taken) + 12 * met(points) + met(crossed) + 12 * strays;
  };
  for (const one of texts) {
    const tried = SIDES.map(([right, down, anchor], rank) => {
      const there = {...one, x: one.at[0] + right, y: one.at[1] + down, anchor};
      return {there, cost: costOf(boxOf(there), one.at) + rank / 10};
    });
    const best = tried.reduce((a, b) => (b.cost < a.cost ? b : a));
    if (!one.inside && best.cost >= 30) continue;
    taken.push(boxOf(best.there));
    placed.push(best.there);
  }
  return placed;
}
