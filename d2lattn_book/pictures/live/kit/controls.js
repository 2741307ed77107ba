// The bar of controls, which are the browser's own, and the sentence below it.
import {add, set} from "./nodes.js";

const LARGEST = 1e6; // of a number that is typed; d2lattn.live takes no larger one either

export const barOf = live => add(live, "div", {class: "bar"});

// A labelled range, number or checkbox; `change` gets it when a hand has changed it.
export function control(bar, name, attributes, change) {
  const input = add(add(bar, "label", {}, name), "input", attributes);
  input.addEventListener("input", () => change(input));
  return input;
}

// A labelled slider; `change` gets the number.
export const slider = (bar, name, {step = 1, ...attributes}, change) =>
  control(bar, name, {type: "range", step, ...attributes}, input => change(Number(input.value)));

// A labelled box to tick; `change` gets whether it is.
export const tick = (bar, name, change) =>
  control(bar, name, {type: "checkbox"}, input => change(input.checked));

// A labelled field for text; `change` gets it.
export function textField(bar, name, change) {
  const field = {type: "text", spellcheck: "false", autocomplete: "off", class: "typed"};
  return control(bar, name, field, input => change(input.value));
}

// A field for text completes it: what is returned takes what the text may become.
export function completion(input) {
  const list = add(input.parentNode, "datalist", {id: "completion"});
  set(input, {list: list.id});
  return texts => {
    if (texts.join() === [...list.children].map(one => one.value).join()) return;
    list.replaceChildren();
    for (const value of texts) add(list, "option", {value});
  };
}

// A labelled menu; `change` gets the choice.
export function menu(bar, name, value, choices, change) {
  const input = add(add(bar, "label", {}, name), "select", {value});
  for (const choice of choices) add(input, "option", {value: choice}, choice);
  input.value = value;
  input.addEventListener("input", () => change(input.value));
  return input;
}

// Text that tells the value of a control; the control tells it to a screen reader itself.
export const note = (bar, attributes = {}) =>
  add(bar, "span", {"aria-hidden": "true", ...attributes});

export function rename(input, name, visible = true) {
  input.parentNode.hidden = !visible;
  input.parentNode.firstChild.data = name;
}

// The field for the number that is chosen. Enter leads back to where it stands. `offer` fills it, by
// the number's name; where none is offered, it keeps its room, so that nothing moves under the hand.
export function numberField(bar, figure, write) {
  const read = () => Math.abs(number.valueAsNumber) <= LARGEST && write(number.valueAsNumber);
  const number = control(bar, "number", {type: "number", step: 0.1}, read);
  number.addEventListener("keydown", event => event.key === "Enter" && number.back?.focus());
  return (figure.number = number);
}

export function offer(number, value, name) {
  set(number.parentNode, {style: value === undefined ? "visibility:hidden" : null});
  set(number, {"aria-label": `number: ${name}`});
  fill(number, value ?? "");
}

// Show a value in a control, unless somebody is typing there.
export function fill(input, value) {
  if (input.getRootNode().activeElement !== input) input.value = value;
}

export function button(bar, name, press) {
  const node = add(bar, "button", {type: "button"}, name);
  node.addEventListener("click", press);
  return node;
}

// The sentence that tells what is chosen: [["text"], ["cat", "query"], …], roles underlined. It keeps
// the room of its longest, until the page gets wider or narrower.
export function saying(live) {
  const line = add(live, "p", {"aria-live": "polite"});
  let said = "";
  return parts => {
    const text = parts.map(part => part[0]).join("");
    if (text === said) return;
    said = text;
    line.replaceChildren(...parts.map(part => span(...part)));
    if (line.offsetHeight) line.style.minHeight = `${line.offsetHeight}px`;
  };
}

function span(text, role) {
  const node = document.createElement("span");
  node.textContent = text;
  if (role) set(node, {class: "role", style: `text-decoration-color: var(--${role})`});
  return node;
}
