// Time: a lane for each rank. What it computes is filled, what it waits for the slowest is dashed.
import {add, set, shown} from "../kit/nodes.js";
import {sum} from "../kit/numbers.js";
import {percent} from "./explain.js";

const LINE = 22;
const LEFT = 54; // of the bars; to the left of them, ranks
const RIGHT = 84; // beside them, what each rank waited
const WORD = 44; // the room that "idle" takes

export const heightOf = ranks => 26 + ranks * LINE + 22;

export function drawLanes(svg, {ranks}, width) {
  const each = Array.from({length: ranks}, (_, rank) => rank);
  add(svg, "text", {y: 14, class: "b"}, "time per rank (computing one score = 1)");
  const dashed = {fill: "none", stroke: "currentColor", "stroke-dasharray": "4 3"};
  const lanes = each.map(rank => {
    const y = 26 + rank * LINE;
    add(svg, "text", {y: y + 13}, `rank ${rank}`);
    const says = add(svg, "text", {class: "e", x: width - 2, y: y + 13});
    const rounds = each.map(() => ({
      bar: add(svg, "rect", {y, height: LINE - 6, fill: "var(--weight)", rx: 2}),
      wait: add(svg, "rect", {y, height: LINE - 6, rx: 2, ...dashed, "stroke-opacity": 0.7}),
      word: add(svg, "text", {class: "m", y: y + 13}),
    }));
    return {says, rounds};
  });
  const bottom = 26 + ranks * LINE;
  const ends = each.map(() => add(svg, "text", {class: "m", y: bottom + 14}));
  const unit = longest => (width - LEFT - RIGHT) / longest;

  return ({round}, {done, all, longest}) => {
    const x = scores => LEFT + scores * unit(longest);
    const starts = done.map((_, r) => sum(done.slice(0, r).map(one => one.time)));
    lanes.forEach(({says, rounds}, rank) => {
      set(says, {}, `idle ${percent(all.waits[rank])}`);
      rounds.forEach((nodes, r) => {
        const [work, waits] = r <= round ? [done[r].scores[rank], done[r].waits[rank]] : [0, 0];
        segment(nodes, x(starts[r]), x(starts[r] + work), x(starts[r] + work + waits));
      });
    });
    ends.forEach((node, r) =>
      set(node, {x: x(starts[r] + done[r].time), ...shown(r <= round)}, starts[r] + done[r].time),
    );
  };
}

function segment({bar, wait, word}, from, middle, to) {
  set(bar, {x: from + 0.5, width: Math.max(0, middle - from - 1), ...shown(middle > from)});
  set(wait, {x: middle + 1, width: Math.max(0, to - middle - 2), ...shown(to > middle)});
  set(word, {x: (middle + to) / 2}, to - middle > WORD ? "idle" : "");
}
