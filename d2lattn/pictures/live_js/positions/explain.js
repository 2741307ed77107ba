// The turn between two positions in words: parts of a sentence, each with the role it plays.
import {plain, show} from "../kit/numbers.js";

export const degrees = radians => show((radians * 180) / Math.PI, 1) + "°";

export function explain(state, now, {clocks}) {
  return clocks ? explainClock(state, now) : explainPair(state, now);
}

function explainClock({p, q, pair}, {speed, turn}) {
  const places = q - p === 1 ? "1 place" : `${show(q - p, 0)} places`;
  return [
    [`Clock ${pair + 1} turns by ${degrees(speed)} at each step. From `],
    [`p = ${p}`, "query"],
    [" to "],
    [`q = ${q}`, "key"],
    [` it is ${places}, which makes ${degrees(turn)}.`],
  ];
}

function explainPair({p, q, pair}, {speed, turn}) {
  const rate = plain(speed) === "0" ? speed.toExponential(1) : plain(speed);
  const product = `${q - p} · ${rate} = ${show(turn)} radians, or ${degrees(turn)}`;
  const lesson = `Only the distance ${show(q - p, 0)} counts: tick “keep the distance” and move on.`;
  return [
    [`The hand of pair ${pair} at `],
    [`p = ${p}`, "query"],
    [" and at "],
    [`q = ${q}`, "key"],
    [` differ by ${product}. ${lesson}`],
  ];
}
