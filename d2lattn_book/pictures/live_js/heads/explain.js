// Who asks, and what is given to whom: parts of a sentence, each with the role it plays.
import {show} from "../kit/numbers.js";

export function explain(state, now, data) {
  const {tokens, answers} = data;
  const [opening, place] = whereIs(state, data);
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

// The step, as a sentence begins with it, and the layer and the head.
function whereIs(state, {heads, steps, layers}) {
  const name = steps?.[state.step];
  const opening = steps ? `At ${/^[\d,. ]+$/.test(name) ? `step ${name}` : name}, ` : "";
  const head = heads[state.head];
  if (layers) return [opening, ` in layer ${layers[state.step]}, ${head}`];
  return [opening, heads.length > 1 ? ` in ${head}` : ""];
}
