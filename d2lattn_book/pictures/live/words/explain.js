// Who asks, who is heard most and where the word goes: parts of a sentence with their roles.
import {factor, plain, show} from "../kit/numbers.js";
import {most, named} from "../kit/words.js";

export function explain({x}, now, {vocabulary, axes}) {
  const {tokens, unknown, left, asks, weights, scores, after, word} = now;
  const opening = [];
  if (unknown.length) opening.push([`Not on the map: ${unknown.join(", ")}. `]);
  if (left) opening.push(["Only the first 12 words are read. "]);
  if (asks === null) return [...opening, [`The map has ${vocabulary.join(", ")}.`]];
  const {best, told, amount, each} = most(weights, named(tokens.map(k => vocabulary[k])));
  const products = [0, 1].map(c => `${plain(x[word][c])} · ${factor(x[tokens[best[0]]][c])}`);
  const sum = each ? "" : `${products.join(" + ")} = `;
  const alike = Math.max(...scores) - Math.min(...scores) < 1e-9;
  const answer = alike
    ? [[" has the same score with every token: each attention weight is "]]
    : [
        [" attends most to "],
        [told, "key"],
        [`: score ${sum}${plain(scores[best[0]])}, attention weight `],
      ];
  return [
    ...opening,
    [vocabulary[word], "query"],
    ...answer,
    [amount, "weight"],
    [`${alike ? "" : each}. Its output is `],
    [`${axes[0]} ${show(after[0])}, ${axes[1]} ${show(after[1])}`, "output"],
    ["."],
  ];
}
