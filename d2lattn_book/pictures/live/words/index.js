// The map of words: who asks, whom it hears, and where it goes.
import {button, fill, menu, textField} from "../kit/controls.js";
import {assemble} from "../kit/figure.js";
import {STYLE, draw} from "./draw.js";
import {explain} from "./explain.js";
import {begin, compute, prepare, type} from "./state.js";

const OWN = "your own";

function controls(bar, {act, data, reset}) {
  const {sentences, vocabulary} = data;
  const say = text => act(type, text, vocabulary);
  const choose = text => text !== OWN && say(text);
  const choice = menu(bar, "sentence", sentences[0], [...sentences, OWN], choose);
  const typed = textField(bar, "or type", say);
  button(bar, "Reset", reset);
  return ({text}) => {
    choice.value = sentences.includes(text) ? text : OWN;
    fill(typed, text);
  };
}

export const mount = assemble({prepare, begin, compute, controls, draw, explain, style: STYLE});
