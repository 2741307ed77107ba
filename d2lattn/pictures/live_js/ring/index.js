// Attention in a ring: blocks of keys and values go from rank to rank, and some ranks wait.
import {barOf, button, control, fill} from "../kit/controls.js";
import {alter, assemble} from "../kit/figure.js";
import {player} from "../kit/motion.js";
import {STYLE, draw, sizes} from "./draw.js";
import {explain} from "./explain.js";
import {begin, compute, go} from "./state.js";

const EVERY = 2400; // milliseconds from round to round

function controls(live, figure) {
  const {act, data} = figure;
  const last = data.ranks - 1;
  const bar = barOf(live);
  player(bar, figure, {
    every: EVERY,
    next: state => go(state, state.round + 1, data),
    rewind: state => go(state, 0, data),
    ended: ({round}) => round === last,
  });
  const back = button(bar, "◀ back", () => act(go, figure.state.round - 1, data));
  const forward = button(bar, "forward ▶", () => act(go, figure.state.round + 1, data));
  const range = {type: "range", min: 0, max: last, step: 1};
  const slider = control(bar, "round", range, input => act(go, Number(input.value), data));
  const tick = name =>
    control(bar, name, {type: "checkbox"}, input => act(alter, {[name]: input.checked}));
  const striped = tick("striped");
  const causal = tick("causal");
  button(bar, "Reset", figure.reset);
  const update = state => {
    fill(slider, state.round);
    back.disabled = !state.round;
    forward.disabled = state.round === last;
    striped.checked = state.striped;
    causal.checked = state.causal;
  };
  return {update};
}

const hint = () => "Play the rounds, then deal the words out in stripes. Click a block: its round.";

export const mount = assemble({begin, compute, controls, draw, explain, style: STYLE, sizes, hint});
