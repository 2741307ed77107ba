// Who asks, and who takes which share: parts of a sentence, each with the role it plays.
import {show} from "../kit/numbers.js";

export function explain(state, now, data) {
  const {tokens, keys} = data;
  const [opening, place] = whereIs(state, data);
  const asking = tokens[now.asks];
  if (!now.total) {
    return [[opening], [asking, "query"], [` may see nobody${place}: every share is 0.`]];
  }
  const key = now.key ?? now.order[0];
  return [
    [opening],
    [asking, "query"],
    [now.key === null ? " asks, and takes its largest share, " : " asks, and takes "],
    [show(now.shares[key]), "weight"],
    [now.key === null ? ", from " : " from "],
    [keys[key], "key"],
    [`${place}. The ${keys.length} shares add up to ${show(now.total)}.`],
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
