// The online softmax: one number at a time, with a running maximum, sum and output.
import {barOf, button, control, fill, numberField, rename} from "../kit/controls.js";
import {assemble} from "../kit/figure.js";
import {player} from "../kit/motion.js";
import {draw, sizes} from "./draw.js";
import {explain} from "./explain.js";
import {begin, compute, go, isInput, read, rowsOf, write} from "./state.js";

function controls(live, figure) {
  const {act, data} = figure;
  const n = data.scores.length;
  const rows = rowsOf(data);
  const bar = barOf(live);
  player(bar, figure, {
    every: 1600,
    next: state => go(state, state.read + 1),
    rewind: state => go(state, 0),
    ended: state => state.read === n,
  });
  const back = button(bar, "◀ back", () => act(go, figure.state.read - 1));
  const forward = button(bar, "forward ▶", () => act(go, figure.state.read + 1));
  const range = {type: "range", min: 0, max: n, step: 1};
  const slider = control(bar, "numbers read", range, input => act(go, Number(input.value)));
  button(bar, "Reset", figure.reset);
  const number = numberField(bar, value => act(write, figure.state.at, value));

  function update(state) {
    const [i, j] = state.at;
    fill(slider, state.read);
    back.disabled = !state.read;
    forward.disabled = state.read === n;
    rename(number, `${rows[i][0]} of number ${j + 1}`, isInput(state, i));
    if (!isInput(state, i)) return;
    const value = read(state, state.at);
    fill(number, Number.isFinite(value) ? value : "");
  }
  return {update, number};
}

const hint = () => "Play, or go forward. Drag a dotted number: it and what follows change.";

export const mount = assemble({begin, compute, controls, draw, explain, sizes, hint});
