// The cache: words come, and what each kind of attention keeps of them grows, or does not.
import {barOf, button, control, fill} from "../kit/controls.js";
import {assemble} from "../kit/figure.js";
import {player} from "../kit/motion.js";
import {STYLE, draw} from "./draw.js";
import {explain} from "./explain.js";
import {begin, compute, go} from "./state.js";

const EVERY = 1300; // milliseconds from word to word

function controls(live, figure) {
  const {act, data} = figure;
  const n = data.tokens.length;
  const bar = barOf(live);
  player(bar, figure, {
    every: EVERY,
    next: state => go(state, state.read + 1, data),
    rewind: state => go(state, 1, data),
    ended: ({read}) => read === n,
  });
  const back = button(bar, "◀ back", () => act(go, figure.state.read - 1, data));
  const forward = button(bar, "forward ▶", () => act(go, figure.state.read + 1, data));
  const range = {type: "range", min: 1, max: n, step: 1};
  const read = input => act(go, Number(input.value), data);
  const slider = control(bar, "words read", range, read);
  button(bar, "Reset", figure.reset);
  const update = state => {
    fill(slider, state.read);
    back.disabled = state.read === 1;
    forward.disabled = state.read === n;
  };
  return {update};
}

const hint = () => "Play: words come. Choose a kind of attention to see whom it can still look up.";

export const mount = assemble({begin, compute, controls, draw, explain, style: STYLE, hint});
