// What there is to learn: for each task its words, how a text is drawn, what is asked in it, and the
// loss that no honest reader can get below. No page in here.
//
// A text is {tokens, targets}, numbers of words; a target of −1 is a word that is not asked. In a
// task that `writes`, the answer is the next word, which stands in the text itself. Where a text
// has `sure`, this says which words are examined: the others have no one right answer.
import {sum} from "../kit/numbers.js";
import {below, pick, uniform} from "./random.js";

const LETTERS = [..."abcdefgh"];
const DIGITS = [..."01234567"];
const HELD_OUT = 64; // texts that are never learned from
const SAMPLE = 500; // texts, to count how often each answer is right
export const BATCH = 32;
export const LONGEST = 32; // letters of one's own text that are read at once

// The tasks of a sentence whose next word is asked, wherever `from` says that it can be known.
function written(words, vocabulary, from) {
  const tokens = words.map(word => vocabulary.indexOf(word));
  const targets = tokens.slice(1).map((token, k) => (from(k) ? token : -1));
  return {tokens: tokens.slice(0, -1), targets};
}

// Look one back: which letter stood one before?
const back = {
  title: "predict the previous token",
  needs: "The target of every letter is the letter just before it: that takes positions.",
  model: {},
  vocabulary: LETTERS,
  L: 10,
  draw(random) {
    const tokens = Array.from({length: 10}, () => below(8, random));
    return {tokens, targets: [-1, ...tokens.slice(0, -1)]};
  },
};

// Find the word like this one: "a2 c1 d3 b2" and then letters alone; which number did each have?
const PAIRS = LETTERS.slice(0, 6).flatMap(letter => [1, 2, 3, 4].map(count => letter + count));
const like = {
  title: "find the same letter",
  needs: "The target of a letter alone is the number that the same letter had before.",
  model: {width: 24, positions: "none", mask: false},
  vocabulary: [...PAIRS, ...LETTERS.slice(0, 6), ..."1234"],
  L: 8,
  draw(random) {
    const names = pick(LETTERS.slice(0, 6), 4, random);
    const counts = names.map(() => 1 + below(4, random));
    const order = pick([0, 1, 2, 3], 4, random);
    const words = [...names.map((name, k) => name + counts[k]), ...order.map(k => names[k])];
    const at = word => this.vocabulary.indexOf(String(word));
    const targets = [-1, -1, -1, -1, ...order.map(k => at(counts[k]))];
    return {tokens: words.map(at), targets};
  },
};

// Who is asked: "a→c1" is called a, asks c and carries 1; what does c carry?
const RING = LETTERS.slice(0, 5);
const SIGNS = ["1", "2"];
const asked = {
  title: "follow a pointer",
  needs:
    "a→c1 is named a, points to c and carries 1. Its target is what c carries: query and key differ.",
  model: {width: 24, positions: "none", mask: false},
  vocabulary: [
    ...RING.flatMap(a => RING.flatMap(b => SIGNS.map(sign => `${a}→${b}${sign}`))),
    ...SIGNS,
  ],
  L: 5,
  draw(random) {
    const signs = RING.map(() => SIGNS[below(2, random)]);
    const whom = RING.map((_, k) => (k + 1 + below(4, random)) % 5);
    const order = pick([0, 1, 2, 3, 4], 5, random);
    const words = order.map(k => `${RING[k]}→${RING[whom[k]]}${signs[k]}`);
    const at = word => this.vocabulary.indexOf(word);
    return {tokens: words.map(at), targets: order.map(k => at(signs[whom[k]]))};
  },
};

// Associative recall: "c 3 a 1 d 1" and then the same pairs in another order.
const copy = {
  title: "associative recall, letter → number",
  needs:
    "Each letter is followed by a number, then the same letters come again. The target is the " +
    "number that followed the same letter before: find the letter, then the token after it.",
  model: {layers: 2, heads: 2, rate: 0.01},
  vocabulary: [...LETTERS, ...DIGITS],
  L: 11,
  writes: true,
  draw(random) {
    const names = pick(LETTERS, 3, random);
    const numbers = names.map(() => DIGITS[below(8, random)]);
    const again = pick([0, 1, 2], 3, random);
    const words = [0, 1, 2, ...again].flatMap(k => [names[k], numbers[k]]);
    return written(words, this.vocabulary, k => k >= 6 && k % 2 === 0);
  },
};

// Sort five digits: "4 1 3 1 0 =" and then 0 1 1 3 4.
const sort = {
  title: "sort five digits",
  needs: "After = come the same five digits in ascending order.",
  model: {},
  vocabulary: [...DIGITS, "="],
  L: 10,
  writes: true,
  draw(random) {
    const digits = Array.from({length: 5}, () => DIGITS[below(8, random)]);
    return written([...digits, "=", ...digits.toSorted()], this.vocabulary, k => k >= 5);
  },
};

// The running corpus of the book: the same 120 sentences as d2lattn_book.language.words.
export function corpus() {
  const animals = ["dog", "cat", "fox", "bird", "mouse", "bat"];
  const foods = ["milk", "bread", "cheese", "apple"];
  const plots = [
    ["found", "hungry", "tasty", animals, foods],
    ["chased", "fierce", "scared", animals, animals],
    ["swung", "strong", "heavy", ["girl", "boy"], ["bat", "racket", "hammer"]],
  ];
  return plots.flatMap(([verb, ofWho, ofWhat, subjects, objects]) =>
    subjects.flatMap(who =>
      objects
        .filter(what => what !== who)
        .flatMap(what => {
          const told = ["the", who, verb, "the", what, "what", "a"];
          return [
            [...told, ofWho, who],
            [...told, ofWhat, what],
          ];
        }),
    ),
  );
}

// A fifth of the sentences is held out; of the others any may come.
const sentences = {
  title: "the book's sentences",
  needs: "The target of every token is the next one: the last one depends on who did what.",
  model: {heads: 2},
  vocabulary: [...new Set(corpus().flat())],
  L: 8,
  writes: true,
  prepare() {
    const all = pick(corpus(), 120, uniform(1, "sentences"));
    return {known: all.slice(24), heldOut: all.slice(0, 24)};
  },
  draw(random, {known}) {
    return written(known[below(known.length, random)], this.vocabulary, () => true);
  },
  // Examined is each word that alone can follow: all sentences that begin so go on with it.
  heldOut({known, heldOut}) {
    const count = beginnings([...known, ...heldOut]);
    return heldOut.map(words => {
      const text = written(words, this.vocabulary, () => true);
      const sure = text.targets.map((_, k) => count(words, k + 1) === count(words, k + 2));
      return {...text, sure};
    });
  },
  bound: ({known}) => leastLoss(known),
};

// The mean surprise of a next word where every beginning is known: what no reader can get below
// who sees only what came before. A beginning that goes on in n ways of the same number costs ln n,
// and the costs of a text add up to ln of how many begin with its first word over how many are it.
export function leastLoss(texts) {
  const count = beginnings(texts);
  const all = words => Math.log(count(words, 1) / count(words, words.length));
  return sum(texts.map(words => all(words) / (words.length - 1))) / texts.length;
}

// How many of these texts begin with the first k words of one.
function beginnings(texts) {
  const counts = new Map();
  const start = (words, k) => words.slice(0, k).join(" ");
  const add = key => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const words of texts) words.forEach((_, k) => add(start(words, k + 1)));
  return (words, k) => counts.get(start(words, k));
}

export const RHYME =
  "one word asks and all the others hear. each one answers from afar or near. " +
  "who fits best is heard the most of all. who fits least is heard as from a wall. " +
  "what they say is blended into one. then the next word asks, till all is done. ";

// One's own text, letter by letter; its last fifth is held out. Nobody knows its bound.
const text = {
  title: "your own text",
  needs: "The target of every character is the next one. The last fifth is held out.",
  model: {width: 32, layers: 2, mlp: true, rate: 0.01},
  writes: true,
  prepare(said) {
    const letters = [...(said ?? RHYME).toLowerCase().replaceAll(" ", "␣")];
    const vocabulary = [...new Set(letters)];
    const tokens = letters.map(letter => vocabulary.indexOf(letter));
    const end = Math.floor(0.8 * tokens.length);
    const L = Math.min(LONGEST, Math.floor(tokens.length / 5) - 1);
    return {vocabulary, L, known: tokens.slice(0, end), rest: tokens.slice(end)};
  },
  draw(random, {known, L}) {
    const from = below(known.length - L, random);
    return cutAt(known, from, L);
  },
  heldOut({rest, L}) {
    const count = Math.min(8, rest.length - L);
    return Array.from({length: count}, (_, k) =>
      cutAt(rest, k * Math.floor((rest.length - L) / count), L),
    );
  },
  bound: () => null,
};

const cutAt = (tokens, from, L) => ({
  tokens: tokens.slice(from, from + L),
  targets: tokens.slice(from + 1, from + L + 1),
});

export const TASKS = {back, like, asked, copy, sort, sentences, text};

const MODEL = {
  layers: 1,
  heads: 1,
  width: 16,
  positions: "added",
  mask: true,
  divisor: "√d",
  same_qk: false,
  mlp: false,
  rate: 0.02,
  seed: 1,
};

// The settings with which a task opens.
export const settingsOf = (name, chosen = {}) => ({...MODEL, ...TASKS[name].model, ...chosen});

// A task made ready: its words, the texts held out, and the honest bound.
export function open(name, said) {
  const task = TASKS[name];
  const own = task.prepare?.(said) ?? {};
  const {vocabulary = task.vocabulary, L = task.L} = own;
  const draw = random => task.draw(random, own);
  const fresh = uniform(1, `${name} held out`);
  const heldOut = task.heldOut?.(own) ?? Array.from({length: HELD_OUT}, () => draw(fresh));
  return {name, vocabulary, L, draw, heldOut, bound: task.bound ? task.bound(own) : 0};
}

// The loss of one who looks at nothing and knows how often each answer is right: the entropy of the
// answers of some texts.
export function blindLoss({name, draw}) {
  const random = uniform(1, `${name} blind`);
  const texts = Array.from({length: SAMPLE}, () => draw(random));
  const answers = texts.flatMap(({targets}) => targets).filter(target => target >= 0);
  const counts = new Map();
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  const share = count => count / answers.length;
  return [...counts.values()].reduce((total, n) => total - share(n) * Math.log(share(n)), 0);
}

// The next texts of a training, as one batch.
export function batch(task, random, count = BATCH) {
  const texts = Array.from({length: count}, () => task.draw(random));
  return joined(texts);
}

export const joined = texts => ({
  tokens: texts.flatMap(({tokens}) => tokens),
  targets: texts.flatMap(({targets}) => targets),
});
