// The microscope: tokens -> queries, keys, values -> scores -> mask -> shares -> output.
import {barOf, button, control, fill, menu, note, numberField, rename} from "../kit/controls.js";
import {alter, assemble} from "../kit/figure.js";
import {set} from "../kit/nodes.js";
import {show} from "../kit/numbers.js";
import {draw} from "./draw.js";
import {explain, matrix} from "./explain.js";
import {RULES, begin, compute, divisorsOf, isInput, read, resize, write} from "./state.js";

function controls(live, figure) {
  const {data, act} = figure;
  const {divisors, first} = divisorsOf(data);
  const rules = data.given ? [...RULES, "given"] : RULES;
  const bar = barOf(live);
  const range = {type: "range", min: -1, max: 1, step: 0.02, value: 0};
  const temperature = control(bar, "temperature", range, input =>
    act(alter, {temperature: 10 ** input.value}),
  );
  const heat = note(bar);
  const names = [...divisors.keys()];
  const divide = menu(bar, "divided by", first, names, name => act(alter, {divide: name}));
  const rule = menu(bar, "mask", data.rule, rules, name => act(alter, {rule: name}));
  for (const one of [divide, rule]) one.parentNode.hidden = data.menus === false;
  button(bar, "Reset", figure.reset);
  const whole = {type: "number", min: 0, max: data.tokens.length, step: 1};
  const size = control(bar, "size", whole, input => act(resize, input.value));
  const number = numberField(bar, value => act(write, figure.state.at, value));

  function update(state) {
    temperature.value = Math.log10(state.temperature);
    set(temperature, {"aria-valuetext": show(state.temperature)});
    set(heat, {}, show(state.temperature));
    divide.value = state.divide;
    rule.value = state.rule;
    const sized = /padding|window/.exec(state.rule)?.[0];
    rename(size, sized === "padding" ? "words that count" : "window width", Boolean(sized));
    fill(size, state.size);
    const chosen = isInput(state.at[0]);
    rename(number, chosen ? nameOf(state.at, data.tokens) : "number", chosen);
    if (chosen) fill(number, read(state, state.at));
  }
  return {update, number};
}

function nameOf([kind, i, j], tokens) {
  if (kind === "x") return `number ${j + 1} of ${tokens[i]}`;
  return `${matrix(kind[1])}, row ${i + 1}, column ${j + 1}`;
}

export const mount = assemble({begin, compute, controls, draw, explain});
