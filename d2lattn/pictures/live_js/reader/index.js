// A decoder that reads, shows its heads and writes, in the page.
import {barOf, button, control, fill, note} from "../kit/controls.js";
import {alter, assemble} from "../kit/figure.js";
import {player} from "../kit/motion.js";
import {set} from "../kit/nodes.js";
import {show} from "../kit/numbers.js";
import {STYLE, draw} from "./draw.js";
import {explain} from "./explain.js";
import {begin, compute, full, prepare, rewind, type, write} from "./state.js";

const EVERY = 700; // milliseconds from word to word

function controls(live, figure) {
  const {act, data} = figure;
  const bar = barOf(live);
  const room = {type: "text", spellcheck: "false", autocomplete: "off", class: "typed"};
  const text = control(bar, "text", room, input => act(type, input.value, data));
  button(bar, "write a word", () => act(write, data));
  const play = player(bar, figure, {
    name: "write on",
    every: EVERY,
    next: state => write(state, data),
    rewind: state => rewind(state, data),
    ended: state => full(state, data),
  });
  const cache = control(bar, "cache", {type: "checkbox"}, input =>
    act(alter, {cache: input.checked}),
  );
  const heat = {type: "range", min: 0, max: 2, step: 0.1};
  const temperature = control(bar, "temperature", heat, input =>
    act(alter, {temperature: Number(input.value)}),
  );
  const degree = note(bar);
  const whole = {type: "number", min: 1, max: data.vocabulary.length, step: 1};
  const most = control(bar, "top-k", whole, input => {
    if (input.validity.valid && input.value) act(alter, {most: Number(input.value)});
  });
  button(bar, "Reset", () => {
    play.stop();
    figure.reset();
  });
  const update = state => {
    fill(text, state.text);
    cache.checked = state.cache;
    temperature.value = state.temperature;
    set(temperature, {"aria-valuetext": show(state.temperature, 1)});
    set(degree, {}, show(state.temperature, 1));
    fill(most, state.most);
  };
  return {update};
}

export const mount = assemble({prepare, begin, compute, controls, draw, explain, style: STYLE});
