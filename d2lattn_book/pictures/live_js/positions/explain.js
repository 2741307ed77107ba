// The turn between two positions in words: parts of a sentence, each with the role it plays.
import {plain, show} from "../kit/numbers.js";

export const degrees = radians => show((radians * 180) / Math.PI, 1) + "°";

export function explain(state, now, {parts}) {
  return parts.length === 1 ? explainClock(state, now) : explainPair(state, now, parts);
}

function explainClock({p, q, pair}, {speed, turn}) {
  const steps = q - p === 1 ? "1 step" : `${show(q - p, 0)} steps`;
  return [
    [`Clock ${pair + 1} turns by ${degrees(speed)} at each step. From `],
    [`p = ${p}`, "query"],
    [" to "],
    [`q = ${q}`, "key"],
    [` it is ${steps}, which makes ${degrees(turn)}.`],
  ];
}

function explainPair({p, q, pair, keep, carried}, {speed, turn, products}, parts) {
  const rate = plain(speed) === "0" ? speed.toExponential(1) : plain(speed);
  const product = `${q - p} · ${rate} = ${show(turn)} radians, or ${degrees(turn)}`;
  const said = [
    [`The hand of pair ${pair} at `],
    [`p = ${p}`, "query"],
    [" and at "],
    [`q = ${q}`, "key"],
    [` differ by ${product}. `],
  ];
  if (!keep) return [...said, ["Tick “keep the distance”, and move one."]];
  if (!carried) return [...said, ["Now move one of them."]];
  const score = parts.includes("turn") ? ` The turned product is ${show(products.turned)}.` : "";
  return [...said, [`Both have moved, the distance is the same.${score}`]];
}
