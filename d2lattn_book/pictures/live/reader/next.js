// What may come next: the likeliest words as bars. Where a head is off, a mark shows what each word
// would have with all of them.
import {add, set} from "../kit/nodes.js";
import {show} from "../kit/numbers.js";

const LISTED = 8;

export function drawNext(box, {data: {vocabulary}}) {
  const side = add(box, "div", {class: "next glides"});
  const title = add(side, "div", {class: "caption"});
  const count = Math.min(LISTED, vocabulary.length);
  const rows = Array.from({length: count}, () => {
    const row = add(side, "div", {class: "likely"});
    const word = add(row, "span");
    const track = add(row, "span", {class: "track"});
    return {
      row,
      word,
      bar: add(track, "i"),
      was: add(track, "i", {class: "was"}),
      number: add(row, "b"),
    };
  });
  const mark = add(side, "span", {class: "s"}, "thin line: with all heads on");

  return (state, {tokens, asks, probs, all, order, silent}) => {
    const none = asks === null;
    set(title, {}, none ? "" : `next token after “${vocabulary[tokens[asks]]}”, probability`);
    mark.hidden = !silent;
    rows.forEach(({row, word, bar, was, number}, r) => {
      const seen = !none && probs[order[r]] > 0;
      row.style.visibility = seen ? "" : "hidden";
      if (!seen) return;
      const k = order[r];
      set(word, {}, vocabulary[k]);
      set(bar, {style: `width:${100 * probs[k]}%`});
      set(was, {style: `left:calc(${100 * all[k]}% - 1px)`, class: silent ? "was" : "gone"});
      set(number, {}, show(probs[k]));
    });
  };
}
