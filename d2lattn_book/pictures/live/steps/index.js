// The online softmax: one number at a time, with a running maximum, sum and output.
import {button, numberField, offer} from "../kit/controls.js";
import {all, assemble} from "../kit/figure.js";
import {timeline} from "../kit/motion.js";
import {draw, sizes} from "./draw.js";
import {explain} from "./explain.js";
import {begin, compute, go, isInput, read, rowsOf, write} from "./state.js";

const EVERY = 1600; // milliseconds from number to number

function controls(bar, figure) {
  const {act, data} = figure;
  const rows = rowsOf(data);
  const {length: last} = data.scores;
  const at = state => state.read;
  const numbers = timeline(bar, figure, {name: "scores read", last, every: EVERY, at, go});
  button(bar, "Reset", figure.reset);
  const number = numberField(bar, figure, value => act(write, figure.state.at, value));
  return all(numbers, state => {
    const [i, j] = state.at;
    const value = isInput(state, i) ? read(state, state.at) : undefined;
    offer(number, value === -Infinity ? "" : value, `${rows[i][0]} of key ${j + 1}`);
  });
}

const hint = () => "Play, or go forward. Drag a dotted number: it and what follows change.";

export const mount = assemble({begin, compute, controls, draw, explain, sizes, hint});
