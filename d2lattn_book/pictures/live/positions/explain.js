// The turn between two positions in words: parts of a sentence, each with the role it plays.
import {inTens, plain, show} from "../kit/numbers.js";
import {onlyClocks} from "./state.js";

export const degrees = radians => show((radians * 180) / Math.PI, 1) + "°";

export const explain = (state, now, data) =>
  onlyClocks(data) ? explainClock(state, now) : explainPair(state, now);

function explainClock({a, b, pair}, {speed, turn}) {
  const steps = b - a === 1 ? "1 step" : `${show(b - a, 0)} steps`;
  return [
    [`Clock ${pair + 1} turns by ${degrees(speed)} per position. From `],
    [`a = ${a}`, "query"],
    [" to "],
    [`b = ${b}`, "key"],
    [` it is ${steps}, which makes ${degrees(turn)}.`],
  ];
}

function explainPair({a, b, pair, keep, carried}, {speed, turn, products}) {
  const rate = plain(speed) === "0" ? inTens(speed, 1) : plain(speed);
  const product = `${show(a - b, 0)} · ${rate} = ${show(turn)} radians, or ${degrees(turn)}`;
  const said = [
    [`The angles of pair ${pair} at `],
    [`a = ${a}`, "query"],
    [" and "],
    [`b = ${b}`, "key"],
    [` differ by ${product}. `],
  ];
  if (!keep) return [...said, ["Tick “keep the distance”, and move one."]];
  if (!carried) return [...said, ["Now move one of them."]];
  const score = `The rotated product is ${show(products.turned)}.`;
  return [...said, [`Both have moved, the distance is the same. ${score}`]];
}
