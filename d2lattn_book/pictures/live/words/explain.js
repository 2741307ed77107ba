// Who asks, who is heard most and where the word goes: parts of a sentence with their roles.
import {factor, plain, show} from "../kit/numbers.js";

export function explain({x}, now, {vocabulary, axes}) {
  const {tokens, unknown, left, asks, weights, scores, after, word} = now;
  const opening = [];
  if (unknown.length) opening.push([`Not on the map: ${unknown.join(", ")}. `]);
  if (left) opening.push(["Only the first 12 words are read. "]);
  if (asks === null) return [...opening, [`The map has ${vocabulary.join(", ")}.`]];
  const best = weights.indexOf(Math.max(...weights));
  const products = [0, 1].map(c => `${plain(x[word][c])} · ${factor(x[tokens[best]][c])}`);
  const alike = Math.max(...scores) - Math.min(...scores) < 1e-9;
  const answer = alike
    ? [[" has the same score with every token: each attention weight is "]]
    : [
        [" attends most to "],
        [vocabulary[tokens[best]], "key"],
        [`: score ${products.join(" + ")} = ${plain(scores[best])}, attention weight `],
      ];
  return [
    ...opening,
    [vocabulary[word], "query"],
    ...answer,
    [show(weights[best]), "weight"],
    [". Its output is "],
    [`${axes[0]} ${show(after[0])}, ${axes[1]} ${show(after[1])}`, "output"],
    ["."],
  ];
}
