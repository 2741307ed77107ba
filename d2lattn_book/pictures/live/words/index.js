// The map of words: who asks, whom it hears, and where it goes.
import {button, fill, menu, textField} from "../kit/controls.js";
import {assemble} from "../kit/figure.js";
import {STYLE, draw} from "./draw.js";
import {explain} from "./explain.js";
import {begin, compute, prepare, type} from "./state.js";

function controls(bar, {act, data, reset}) {
  const {sentences, vocabulary} = data;
  const say = text => act(type, text, vocabulary);
  const choice = menu(bar, "sentence", sentences[0], sentences, say);
  const typed = textField(bar, "or type", say);
  button(bar, "Reset", reset);
  return ({text}) => {
    choice.value = sentences.includes(text) ? text : "";
    fill(typed, text);
  };
}

export const mount = assemble({prepare, begin, compute, controls, draw, explain, style: STYLE});
