// Who asks whom, what is likely to come, and what was computed for it.
import {show} from "../kit/numbers.js";
import {attends, named} from "../kit/words.js";

export function explain(state, now, {vocabulary, room}) {
  const {tokens, unknown, left, asks, weights, probs, all, order, silent} = now;
  const opening = [];
  if (unknown.length) opening.push([`Not in its vocabulary: ${unknown.join(", ")}. `]);
  if (left) opening.push([`Its context is ${room} tokens at most. `]);
  if (asks === null) return [...opening, ["Type a word."]];
  const names = named(tokens.map(k => vocabulary[k]));
  const off = state.off[state.layer][state.head] ? ", which is off" : "";
  const where = `, in head ${state.head} of layer ${state.layer}${off},`;
  const missing = silent ? [[` (${show(all[order[0]])} with all heads on)`]] : [];
  return [
    ...opening,
    [names[asks], "query"],
    ...attends(weights, names, {where}),
    [". The most probable next token is "],
    [vocabulary[order[0]], "output"],
    [`, probability ${show(probs[order[0]])}`],
    ...missing,
    ["."],
    ...steps(state, now),
    [now.used.over ? " Here the text ends." : ""],
  ];
}

function steps({kept}, {used: {steps: passed, total}, tokens}) {
  if (passed.length < 2) return [];
  const row = count => `${count} ${count === 1 ? "row" : "rows"}`;
  const from = kept ? ` and took ${kept} from the cache` : "";
  const told = `The last step computed ${row(tokens.length - kept)} of each map${from}.`;
  return [[` ${told} Tokens read so far: ${total}.`]];
}
