// The cache: words come, and what each kind of attention keeps of them grows, or does not.
import {button} from "../kit/controls.js";
import {assemble} from "../kit/figure.js";
import {timeline} from "../kit/motion.js";
import {STYLE, draw} from "./draw.js";
import {explain} from "./explain.js";
import {begin, compute, go} from "./state.js";

const EVERY = 1300; // milliseconds from word to word

function controls(bar, figure) {
  const last = figure.data.tokens.length;
  const at = ({read}) => read;
  const update = timeline(bar, figure, {name: "tokens read", first: 1, last, every: EVERY, at, go});
  button(bar, "Reset", figure.reset);
  return update;
}

const hint = () =>
  "Press Play: tokens arrive. Choose a kind of attention: which tokens stay visible?";

export const mount = assemble({begin, compute, controls, draw, explain, style: STYLE, hint});
