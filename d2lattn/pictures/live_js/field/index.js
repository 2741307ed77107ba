// A stack of convolutions: what one unit sees, and what a layer costs beside its rivals.
import {barOf, button, control, fill, menu, note} from "../kit/controls.js";
import {assemble} from "../kit/figure.js";
import {set} from "../kit/nodes.js";
import {STYLE, draw, sizes} from "./draw.js";
import {explain} from "./explain.js";
import {DEPTH, begin, choose, compute, deepen} from "./state.js";

const KERNELS = [1, 2, 3, 5, 7, 9];

function controls(live, figure) {
  const {act, data} = figure;
  const bar = barOf(live);
  const kernels = [...new Set([...KERNELS, data.kernel])].sort((a, b) => a - b);
  const pick = value => act(choose, {k: Number(value)});
  const kernel = menu(bar, "kernel", data.kernel, kernels, pick);
  const range = {type: "range", min: 1, max: DEPTH, step: 1};
  const depth = control(bar, "layers", range, input => act(deepen, Number(input.value)));
  const layers = note(bar);
  const tick = name =>
    control(bar, name, {type: "checkbox"}, input => act(choose, {[name]: input.checked}));
  const dilated = tick("dilated");
  const causal = tick("causal");
  button(bar, "Reset", figure.reset);

  function update(state) {
    kernel.value = state.k;
    fill(depth, state.depth);
    set(layers, {}, state.depth);
    dilated.checked = state.dilated;
    causal.checked = state.causal;
    causal.disabled = state.k % 2 === 0;
  }
  return {update};
}

const hint = () =>
  "Click a unit: what it sees lights up. Add layers, and switch the dilation on and off.";

export const mount = assemble({begin, compute, controls, draw, explain, style: STYLE, sizes, hint});
