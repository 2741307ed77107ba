// The map of words: who asks, whom it hears, and where it goes.
import {barOf, button, control, fill, menu} from "../kit/controls.js";
import {assemble} from "../kit/figure.js";
import {STYLE, draw} from "./draw.js";
import {explain} from "./explain.js";
import {begin, compute, prepare, type} from "./state.js";

function controls(live, {act, data, reset}) {
  const {sentences, vocabulary} = data;
  const bar = barOf(live);
  const say = text => act(type, text, vocabulary);
  const choice = menu(bar, "sentence", sentences[0], sentences, say);
  const room = {type: "text", spellcheck: "false", autocomplete: "off", class: "typed"};
  const typed = control(bar, "or type", room, input => say(input.value));
  button(bar, "Reset", reset);
  const update = ({text}) => {
    choice.value = sentences.includes(text) ? text : "";
    fill(typed, text);
  };
  return {update};
}

export const mount = assemble({prepare, begin, compute, controls, draw, explain, style: STYLE});
