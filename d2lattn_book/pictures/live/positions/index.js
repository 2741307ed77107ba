// Positions: clock hands, and the turn between two of them.
import {button, fill, menu, slider, tick} from "../kit/controls.js";
import {alter, assemble} from "../kit/figure.js";
import {player} from "../kit/motion.js";
import {draw, sizes} from "./draw.js";
import {explain} from "./explain.js";
import {BASES, begin, compute, move, onlyClocks, playOf} from "./state.js";

function controls(bar, figure) {
  const {act, data} = figure;
  player(bar, figure, {every: 300, ...playOf(data)});
  const slide = (key, role) => {
    const style = `width:100px;accent-color:var(--${role})`;
    const range = {min: 0, max: data.length - 1, style};
    return slider(bar, `position ${key}`, range, to => act(move, key, to));
  };
  const a = slide("a", "query");
  const b = slide("b", "key");
  const keep = tick(bar, "keep the distance", yes => act(alter, {keep: yes}));
  keep.parentNode.hidden = onlyClocks(data); // distances are the matter of the arrows
  const bases = [...new Set([...BASES, data.base])].sort((x, y) => x - y);
  const choose = value => act(alter, {base: Number(value)});
  const base = menu(bar, "base", data.base, bases, choose);
  button(bar, "Reset", figure.reset);

  return state => {
    fill(a, state.a);
    fill(b, state.b);
    keep.checked = state.keep;
    base.value = state.base;
  };
}

const hint = () => "Play, or move a and b. Choose a clock to read its turn.";

export const mount = assemble({begin, compute, controls, draw, explain, sizes, hint});
