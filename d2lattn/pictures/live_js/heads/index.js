// Many heads, or one through training: small maps, one large, and who gets how much from whom.
import {barOf, button, control, fill, note} from "../kit/controls.js";
import {alter, assemble} from "../kit/figure.js";
import {player} from "../kit/motion.js";
import {set} from "../kit/nodes.js";
import {clamp, show} from "../kit/numbers.js";
import {STYLE, draw, sizes} from "./draw.js";
import {explain} from "./explain.js";
import {begin, compute, crowded, further, prepare} from "./state.js";

const PLAYED = 8000; // milliseconds of a training, from first to last step

function controls(live, figure) {
  const {act, data} = figure;
  const bar = barOf(live);
  const [, , L, S] = data.shape;
  const training = data.steps ? trainingControl(bar, figure, data.steps) : () => {};
  const range = {type: "range", min: 0, max: 0.5, step: 0.01};
  const least = control(bar, "hide shares below", range, input =>
    act(alter, {least: Number(input.value)}),
  );
  const bound = note(bar);
  for (const one of [least.parentNode, bound]) one.hidden = !crowded(L, S);
  button(bar, "Reset", figure.reset);
  const update = state => {
    training(state);
    fill(least, state.least);
    set(bound, {}, show(state.least));
  };
  return {update};
}

function trainingControl(bar, figure, steps) {
  const {act} = figure;
  const last = steps.length - 1;
  player(bar, figure, {
    every: clamp(PLAYED / last, 60, 450),
    next: further,
    rewind: state => alter(state, {step: 0}),
    ended: ({step}) => step === last,
  });
  const range = {type: "range", min: 0, max: last, step: 1, style: "width:240px"};
  const step = control(bar, "training", range, input => act(alter, {step: Number(input.value)}));
  const name = note(bar, {class: "b"});
  return state => {
    fill(step, state.step);
    set(step, {"aria-valuetext": steps[state.step]});
    set(name, {}, steps[state.step]);
  };
}

const hint = ({steps}) =>
  (steps ? "Play the training, or move its slider. " : "") +
  "Click a word: it asks. Point at the map: one share.";

const parts = {prepare, begin, compute, controls, draw, explain};

export const mount = assemble({...parts, style: STYLE, sizes, hint});
