// A decoder that reads, shows its heads and writes, in the page.
import {
  button,
  completion,
  control,
  fill,
  menu,
  note,
  slider,
  textField,
  tick,
} from "../kit/controls.js";
import {alter, assemble} from "../kit/figure.js";
import {player} from "../kit/motion.js";
import {set} from "../kit/nodes.js";
import {show} from "../kit/numbers.js";
import {STYLE, draw} from "./draw.js";
import {explain} from "./explain.js";
import {begin, completed, compute, full, prepare, rewind, type, write} from "./state.js";

const EVERY = 700; // milliseconds from word to word

function controls(bar, figure) {
  const {act, data} = figure;
  const text = textField(bar, "text", said => act(type, said, data));
  const offer = completion(text);
  const choose = said => said && act(type, said, data);
  const begins = data.choices && menu(bar, "prompt", data.begins, data.choices, choose);
  button(bar, "generate a token", () => act(write, data));
  player(bar, figure, {
    name: "generate",
    every: EVERY,
    next: state => write(state, data),
    rewind: state => rewind(state, data),
    ended: state => full(state, data),
  });
  const cache = tick(bar, "KV cache", yes => act(alter, {cache: yes}));
  const heat = {min: 0, max: 2, step: 0.1};
  const temperature = slider(bar, "temperature", heat, value => act(alter, {temperature: value}));
  const degree = note(temperature.parentNode); // a narrow page keeps them together
  const whole = {type: "number", min: 1, max: data.vocabulary.length, step: 1};
  const most = control(bar, "top-k", whole, input => {
    if (input.validity.valid && input.value) act(alter, {most: Number(input.value)});
  });
  button(bar, "Reset", figure.reset);
  return state => {
    fill(text, state.text);
    offer(completed(state.text, data));
    if (begins) begins.value = state.typed;
    cache.checked = state.cache;
    temperature.value = state.temperature;
    set(temperature, {"aria-valuetext": show(state.temperature, 1)});
    set(degree, {}, show(state.temperature, 1));
    fill(most, state.most);
  };
}

export const mount = assemble({prepare, begin, compute, controls, draw, explain, style: STYLE});
