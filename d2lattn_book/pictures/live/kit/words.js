// How a text is read, and how its tokens are named. Nothing in this file knows of a page.
import {show} from "./numbers.js";

// The words of a text, by their numbers in the vocabulary, and those that are not in it: as
// d2lattn_book.pictures.arrays.read reads them, which tells the rule.
export function readWords(text, vocabulary) {
  const small = vocabulary.map(word => word.toLowerCase());
  const numberOf = word => {
    const written = vocabulary.indexOf(word);
    return written < 0 ? small.indexOf(word.toLowerCase()) : written;
  };
  const known = [];
  const unknown = [];
  for (const piece of text.match(/\S+/g) ?? []) {
    let word = piece;
    while (numberOf(word) < 0 && word && ".,;:!?".includes(word.at(-1))) word = word.slice(0, -1);
    const marks = [...piece.slice(word.length)].map(numberOf);
    if (word && numberOf(word) < 0) unknown.push(word);
    known.push(...[numberOf(word), ...marks].filter(k => k >= 0));
  }
  return {known, unknown};
}

// "0", "0 and 1", "0, 1 and 2".
export const listed = names =>
  [names.slice(0, -1).join(", "), names.at(-1)].filter(part => part !== "").join(" and ");

// Tokens as sentences name them: with its position one that the text has twice.
export const named = tokens =>
  tokens.map((token, i) =>
    tokens.indexOf(token) < tokens.lastIndexOf(token) ? `${token} (position ${i})` : token,
  );
const quoted = name => name.replace(/^(.+?)( \(position \d+\))?$/s, "“$1”$2");

// The key of the largest weight, or all whose weights are as large to within `unit`, unless a hand
// has chosen a `key`: of more than three only their number is told.
export function most(weights, names, {unit = 0, key = null} = {}) {
  const least = Math.max(...weights) - unit - 1e-6;
  const best = names.map((_, k) => k).filter(k => (key === null ? weights[k] >= least : k === key));
  const many = best.length > 1;
  const all = best.map(k => (many ? quoted(names[k]) : names[k]));
  const told = best.length > 3 ? `${best.length} keys` : listed(all);
  const alike = many && best.length === weights.filter(Boolean).length;
  const how = key !== null ? "" : alike ? " equally" : " most";
  return {best, told, how, amount: show(weights[best[0]]), each: many ? " each" : ""};
}

// What a query attends to: parts of a sentence.
export function attends(weights, names, {where = "", noun = false, ...more} = {}) {
  const {best, told, how, amount, each} = most(weights, names, more);
  const article = (noun && ["the key ", "the keys ", "the keys "][best.length - 1]) || "";
  const to = ` attends${how}${where} to ${article}`;
  return [[to], [told, "key"], [": attention weight "], [amount, "weight"], [each]];
}
