// Attention in a ring: blocks of keys and values go from rank to rank, and some ranks wait.
import {button, tick} from "../kit/controls.js";
import {all, alter, assemble} from "../kit/figure.js";
import {timeline} from "../kit/motion.js";
import {STYLE, draw, sizes} from "./draw.js";
import {explain} from "./explain.js";
import {begin, compute, go} from "./state.js";

const EVERY = 2400; // milliseconds from round to round

function controls(bar, figure) {
  const {act, data} = figure;
  const at = ({round}) => round;
  const rounds = timeline(bar, figure, {name: "round", last: data.ranks - 1, every: EVERY, at, go});
  const striped = tick(bar, "striped", yes => act(alter, {striped: yes}));
  const causal = tick(bar, "causal", yes => act(alter, {causal: yes}));
  button(bar, "Reset", figure.reset);
  return all(rounds, state => {
    striped.checked = state.striped;
    causal.checked = state.causal;
  });
}

const hint = () =>
  "Press Play, then tick striped: tokens are dealt out in turn. Choose a block: its round.";

export const mount = assemble({begin, compute, controls, draw, explain, style: STYLE, sizes, hint});
