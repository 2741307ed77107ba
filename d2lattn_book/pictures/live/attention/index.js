// The microscope: tokens -> queries, keys, values -> scores -> mask -> attention weights -> output.
import {button, control, fill, menu, note, rename, slider} from "../kit/controls.js";
import {numberField, offer} from "../kit/controls.js";
import {alter, assemble} from "../kit/figure.js";
import {stepper} from "../kit/motion.js";
import {set} from "../kit/nodes.js";
import {show} from "../kit/numbers.js";
import {STYLE, draw, sizes} from "./draw.js";
import {explain} from "./explain.js";
import {RULES, THOUGHTS, begin, compute, divisorsOf, resize, write} from "./state.js";
import {partsOf, tell, unfold} from "./state.js";

function controls(bar, figure) {
  const {data, act} = figure;
  const {divisors, first} = divisorsOf(data);
  const has = part => data.parts?.includes(part) ?? true;
  const story = stepper(bar, figure, {
    name: "Play one query",
    count: () => THOUGHTS.length,
    place: ({told}) => told && told[0],
    go: tell,
    parts: partsOf,
    part: unfold,
  });
  const range = {min: -1, max: 1, step: 0.02};
  const warm = power => act(alter, {temperature: 10 ** power});
  const temperature = slider(bar, "temperature", range, warm);
  const heat = note(bar);
  const names = [...divisors.keys()];
  const divide = menu(bar, "divided by", first, names, name => act(alter, {divide: name}));
  const rule = menu(bar, "mask", data.rule, RULES, name => act(alter, {rule: name}));
  divide.parentNode.hidden = !has("divisor");
  rule.parentNode.hidden = !has("mask");
  for (const one of [temperature.parentNode, heat]) one.hidden = !has("temperature");
  button(bar, "Reset", figure.reset);
  const whole = {type: "number", min: 0, max: data.tokens.length, step: 1};
  const size = control(bar, "size", whole, input => act(resize, input.value));
  const number = numberField(bar, figure, value => act(write, figure.state.at, value));

  return state => {
    story(state);
    temperature.value = Math.log10(state.temperature);
    set(temperature, {"aria-valuetext": show(state.temperature)});
    set(heat, {}, show(state.temperature));
    divide.value = state.divide;
    rule.value = state.rule;
    const sized = /padding|window/.exec(state.rule)?.[0];
    rename(size, sized === "padding" ? "valid length" : "window width", Boolean(sized));
    fill(size, state.size);
    const [kind, i, j] = state.at;
    const value = kind === "x" ? state.x[i][j] : undefined;
    offer(number, value, `channel ${j + 1} of ${data.tokens[i]}`);
  };
}

const hint = () =>
  "Choose a token: it is the query. Choose a number: how it is computed. Drag a dotted number.";

export const mount = assemble({begin, compute, controls, draw, explain, style: STYLE, sizes, hint});
