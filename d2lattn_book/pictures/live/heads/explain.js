// What the query attends to: parts of a sentence, each with the role it plays.
import {show} from "../kit/numbers.js";
import {attends, named} from "../kit/words.js";

const PALE = 0.2; // where no weight is larger, a map looks empty

export function explain(state, now, data) {
  const {tokens, keys, unit} = data;
  const opening = [`${whereIs(state, data)} query `];
  const asking = [named(tokens)[now.asks], "query"];
  if (!now.total) return [opening, asking, [" sees no key: every attention weight is 0."]];
  return [
    opening,
    asking,
    ...attends(now.weights, named(keys), {unit, key: now.key, noun: true}),
    [`. Its ${keys.length} attention weights add up to ${show(now.total)}.${paleness(now)}`],
  ];
}

// Every map has one scale, so that heads can be compared: a pale one is explained.
function paleness({map}) {
  const high = map.reduce((most, weight) => Math.max(most, weight));
  const low = map.reduce((least, weight) => Math.min(least, weight));
  const all = `from ${show(low)} to ${show(high)}, so its map is pale.`;
  return high < PALE ? ` All attention weights of this head are small, ${all}` : "";
}

// The step, the layer and the head, as the sentence begins with them.
function whereIs(state, {heads, steps, layers}) {
  const name = steps?.[state.step];
  const places = [];
  if (steps) places.push(`at ${/^[\d,. ]+$/.test(name) ? `step ${name}` : name}`);
  if (layers) places.push(`in layer ${layers[state.step]}`);
  if (layers || heads.length > 1) places.push(`${layers ? "" : "in "}${heads[state.head]}`);
  const all = [...places, "the"].join(", ");
  return all[0].toUpperCase() + all.slice(1);
}
