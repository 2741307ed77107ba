// How a text is read. Nothing in this file knows of a page.

const MARKS = ".,;:!?";

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
    while (numberOf(word) < 0 && word && MARKS.includes(word.at(-1))) word = word.slice(0, -1);
    const marks = [...piece.slice(word.length)].map(numberOf);
    if (word && numberOf(word) < 0) unknown.push(word);
    known.push(...[numberOf(word), ...marks].filter(k => k >= 0));
  }
  return {known, unknown};
}
