// Many heads, of one layer, of a model's layers or through training: small maps, one large, and what
// each query attends to.
import {button, fill, note, slider} from "../kit/controls.js";
import {all, alter, assemble} from "../kit/figure.js";
import {timeline} from "../kit/motion.js";
import {set} from "../kit/nodes.js";
import {clamp, show} from "../kit/numbers.js";
import {STYLE, draw, sizes} from "./draw.js";
import {explain} from "./explain.js";
import {begin, compute, crowded, go, prepare} from "./state.js";

const PLAYED = 8000; // milliseconds of a training, from first to last step,
const LONGEST = 1000; // and of a step, the first included

function controls(bar, figure) {
  const {act, data} = figure;
  const [, , L, S] = data.shape;
  const training = data.steps ? trainingControl(bar, figure, data.steps) : () => {};
  const places = data.layers ? placeControls(bar, figure) : () => {};
  const range = {min: 0, max: 0.5, step: 0.01};
  const least = slider(bar, "hide weights below", range, value => act(alter, {least: value}));
  const bound = note(bar);
  for (const one of [least.parentNode, bound]) one.hidden = data.image || !crowded(L, S);
  button(bar, "Reset", figure.reset);
  return all(training, places, state => {
    fill(least, state.least);
    set(bound, {}, show(state.least));
  });
}

function trainingControl(bar, figure, names) {
  const last = names.length - 1;
  const every = clamp(PLAYED / last, 60, LONGEST);
  return timeline(bar, figure, {name: "training", last, every, at: ({step}) => step, go, names});
}

// A layer of a model, and a head in it.
function placeControls(bar, {act, data: {layers, numbers}}) {
  const layer = placeControl(bar, "layer", layers, step => act(alter, {step}));
  const head = placeControl(bar, "head", numbers, place => act(alter, {head: place}));
  return state => {
    layer(state.step);
    head(state.head);
  };
}

function placeControl(bar, name, numbers, change) {
  const range = slider(bar, name, {min: 0, max: numbers.length - 1}, change);
  const said = note(bar, {class: "b at"});
  return place => {
    fill(range, place);
    set(range, {"aria-valuetext": numbers[place]});
    set(said, {}, numbers[place]);
  };
}

const hint = ({steps, layers}) =>
  (steps ? "Play the training, or move its slider. " : "") +
  (layers ? "Choose a layer and a head, or one that stands out. " : "") +
  "Choose a token as the query. Choose a cell: its attention weight (– is hidden, 0 may be).";

const parts = {prepare, begin, compute, controls, draw, explain};

export const mount = assemble({...parts, style: STYLE, sizes, hint});
