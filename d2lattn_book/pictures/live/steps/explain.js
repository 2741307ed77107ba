// A step of the online softmax in words: parts of a sentence, each with the role it plays.
import {factor, plain} from "../kit/numbers.js";

export function explain({scores, values, read}, {states}) {
  if (!read) return [["No score is read yet: the maximum is −∞, the normalizer 0. Go forward."]];
  const now = states[read];
  const value = values[read - 1];
  const said = [
    [`Step ${read} reads the score `],
    [plain(scores[read - 1]), "key"],
    [" and the value "],
    [value.map(plain).join(", "), "value"],
  ];
  if (now.largest === -Infinity) {
    const hidden = ". The score is hidden (−∞), and so was everything before it: nothing changes.";
    return [...said, [hidden]];
  }
  const before = states[read - 1];
  said.push([largest(before, now, read)], ...sums(before, now, value));
  if (read < scores.length) return said;
  return [...said, [" All scores are read: the output equals softmax(scores) times the values."]];
}

function largest(before, now, read) {
  if (read === 1) return ". It is the maximum so far.";
  if (now.largest <= before.largest) {
    return `. The maximum stays ${plain(now.largest)}, so nothing is rescaled.`;
  }
  const old = plain(before.largest);
  const rescaled = `times e^(${old} − ${factor(now.largest)}) = ${plain(now.rescale)}`;
  const grows = `The maximum grows from ${old} to ${plain(now.largest)}`;
  return `. ${grows}, so normalizer and accumulator are rescaled: ${rescaled}.`;
}

function sums(before, now, value) {
  const rescale = plain(now.rescale);
  const others = value.length > 1 ? ", and the same for the other channels." : ".";
  return [
    [` Normalizer: ${plain(before.sum)}·${rescale} + `],
    [plain(now.power), "weight"],
    [` = ${plain(now.sum)}. Output: (${factor(before.total[0])}·${rescale} + `],
    [plain(now.power), "weight"],
    [`·${factor(value[0])}) ÷ ${plain(now.sum)} = `],
    [plain(now.output[0]), "output"],
    [others],
  ];
}
