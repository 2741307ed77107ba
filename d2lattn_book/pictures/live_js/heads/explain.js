// Who asks, and what is given to whom: parts of a sentence, each with the role it plays.
import {show} from "../kit/numbers.js";

export function explain(state, now, {shape: [T, H], tokens, answers, heads, steps}) {
  const name = T > 1 ? steps[state.step] : "";
  const opening = T > 1 ? `At ${/^[\d,. ]+$/.test(name) ? `step ${name}` : name}, ` : "";
  const place = H > 1 ? ` in ${heads[state.head]}` : "";
  const asking = tokens[now.asks];
  if (!now.total) {
    return [[opening], [asking, "query"], [` may see nobody${place}: every share is 0.`]];
  }
  const key = now.answer ?? now.order[0];
  return [
    [opening],
    [asking, "query"],
    [now.answer === null ? " gives its largest share, " : " gives "],
    [show(now.shares[key]), "weight"],
    [", to "],
    [answers[key], "key"],
    [`${place}. Its ${answers.length} shares add up to ${show(now.total)}.`],
  ];
}
