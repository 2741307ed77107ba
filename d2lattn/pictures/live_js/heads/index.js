// Many heads, or one through training: small maps, one large, and who gets how much from whom.
import {barOf, button, control, fill, note} from "../kit/controls.js";
import {alter, assemble} from "../kit/figure.js";
import {set} from "../kit/nodes.js";
import {show} from "../kit/numbers.js";
import {STYLE, draw} from "./draw.js";
import {explain} from "./explain.js";
import {begin, compute, prepare} from "./state.js";

function controls(live, figure) {
  const {act, data} = figure;
  const bar = barOf(live);
  const training = data.steps ? trainingControl(bar, act, data.steps) : () => {};
  const range = {type: "range", min: 0, max: 0.5, step: 0.01};
  const least = control(bar, "hide shares below", range, input =>
    act(alter, {least: Number(input.value)}),
  );
  const bound = note(bar);
  button(bar, "Reset", figure.reset);
  const update = state => {
    training(state);
    fill(least, state.least);
    set(bound, {}, show(state.least));
  };
  return {update};
}

function trainingControl(bar, act, steps) {
  const range = {type: "range", min: 0, max: steps.length - 1, step: 1, style: "width:240px"};
  const step = control(bar, "training", range, input => act(alter, {step: Number(input.value)}));
  const name = note(bar, {class: "b"});
  return state => {
    fill(step, state.step);
    set(step, {"aria-valuetext": steps[state.step]});
    set(name, {}, steps[state.step]);
  };
}

export const mount = assemble({prepare, begin, compute, controls, draw, explain, style: STYLE});
