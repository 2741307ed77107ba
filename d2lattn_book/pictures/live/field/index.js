// A stack of convolutions: what one unit sees, and what a layer costs beside its rivals.
import {button, fill, menu, note, slider, tick} from "../kit/controls.js";
import {assemble} from "../kit/figure.js";
import {set} from "../kit/nodes.js";
import {STYLE, draw, sizes} from "./draw.js";
import {explain} from "./explain.js";
import {DEPTH, begin, choose, compute, deepen} from "./state.js";

const KERNELS = [1, 2, 3, 5, 7, 9];

function controls(bar, figure) {
  const {act, data} = figure;
  const kernels = [...new Set([...KERNELS, data.kernel])].sort((a, b) => a - b);
  const pick = value => act(choose, {k: Number(value)});
  const kernel = menu(bar, "kernel", data.kernel, kernels, pick);
  const depth = slider(bar, "layers", {min: 1, max: DEPTH}, layers => act(deepen, layers));
  const layers = note(bar);
  const dilated = tick(bar, "dilated", yes => act(choose, {dilated: yes}));
  const causal = tick(bar, "causal", yes => act(choose, {causal: yes}));
  button(bar, "Reset", figure.reset);

  return state => {
    kernel.value = state.k;
    fill(depth, state.depth);
    set(layers, {}, state.depth);
    dilated.checked = state.dilated;
    causal.checked = state.causal;
    causal.disabled = state.k % 2 === 0;
  };
}

const hint = () =>
  "Choose a unit: what it sees lights up. Add layers, and switch the dilation on and off.";

export const mount = assemble({begin, compute, controls, draw, explain, style: STYLE, sizes, hint});
