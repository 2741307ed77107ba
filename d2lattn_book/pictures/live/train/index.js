// A small model that learns in the page: the reader builds it, presses Play and looks.
import {
  button,
  control,
  fill,
  menu,
  note,
  rename,
  slider,
  textField,
  tick,
} from "../kit/controls.js";
import {all, alter, assemble} from "../kit/figure.js";
import {add, set} from "../kit/nodes.js";
import {fromAddress, toAddress} from "./address.js";
import {STYLE, draw, sizes} from "./draw.js";
import {driver} from "./driver.js";
import {explain} from "./explain.js";
import * as states from "./state.js";
import {RHYME, TASKS} from "./tasks.js";

const {CHANGES, CHOICES, MOST} = states;
const STRETCH = 500; // steps of one Play
const KEPT = "d2lattn training"; // of a page of its own, in the browser: how far each model was trained

// The buttons that train: what they ask of the engine, and what they make of the state.
function training(bar, figure, ask) {
  const go = steps => {
    const rest = MOST - (figure.state.report?.step ?? 0);
    const count = Math.min(steps, rest);
    figure.act(states.play, count > 10);
    const {text, going} = figure.state;
    ask({look: {step: null, text}, steps: Math.max(0, count), going});
  };
  const play = button(bar, "▶ Play", () => go(figure.state.playing ? 0 : STRETCH));
  button(bar, "one step", () => go(1));
  button(bar, "ten steps", () => go(10));
  button(bar, "restart", () => figure.act(states.again));
  const spoken = bar.parentNode;
  return ({playing, report, change}) => {
    set(play, {}, playing ? "❚❚ Pause" : "▶ Play");
    set(play, {"aria-disabled": report?.step === MOST});
    const line = spoken.querySelector("[aria-live]");
    if (line) set(line, {"aria-live": playing ? "off" : "polite", class: change ? "two" : ""});
  };
}

// The way back over the steps that were taken, as far as they are kept, and what is looked at.
function past(bar, figure, ask) {
  const look = k => {
    const kept = figure.state.report?.kept ?? [0];
    const step = k < kept.length ? kept[k] : null;
    figure.act(states.play, false);
    figure.act(states.lookAt, step);
    ask({look: {step, text: figure.state.text}, steps: 0});
  };
  const range = slider(bar, "show step", {min: 0, max: 1}, look);
  const says = note(bar, {class: "b"});
  const sides = tick(bar, "queries, keys, values", yes => figure.act(alter, {sides: yes}));
  return ({report, step, sides: seen}) => {
    sides.checked = seen;
    const kept = report?.kept ?? [];
    const now = step ?? report?.step ?? 0;
    const found = kept.findIndex(one => one === step);
    set(range, {max: kept.length, "aria-valuetext": `step ${now}`});
    fill(range, step === null || found < 0 ? kept.length : found);
    set(says, {}, `${now} of ${report?.step ?? 0}`);
  };
}

// What the model is made of.
function settings(bar, figure) {
  const settle = (name, value) => figure.act(states.settle, name, value);
  const named = name => states.SHOWN[name] ?? name;
  const menus = ["layers", "heads", "width", "positions", "divisor"].map(name => {
    const choices = CHOICES[name];
    const chosen = text => choices.find(value => String(value) === text);
    const choose = text => settle(name, chosen(text));
    return [name, menu(bar, named(name), choices[0], choices, choose)];
  });
  const ticks = ["mask", "same_qk", "mlp"].map(name => {
    return [name, tick(bar, named(name), yes => settle(name, yes))];
  });
  return state => {
    for (const [name, input] of menus) fill(input, state.settings[name]);
    for (const [name, box] of ticks) box.checked = state.settings[name];
  };
}

// The fold of all that is not needed to press Play; its summary says how the options stand.
function fold(bar) {
  const box = add(bar, "details");
  const line = add(box, "summary", {}, "Options: ");
  const [task, model] = [add(line, "b"), add(line, "span", {class: "t"})];
  const update = state => {
    set(task, {}, `${states.compared(state)} `);
    set(model, {}, states.madeOf(state));
  };
  return {options: add(box, "div", {class: "bar"}), update};
}

// A number of the settings.
function number(bar, figure, name, limits) {
  const read = node => {
    if (node.validity.valid && node.value) figure.act(states.settle, name, Number(node.value));
  };
  const input = control(bar, states.SHOWN[name] ?? name, {type: "number", ...limits}, read);
  return state => fill(input, state.settings[name]);
}

const ALONE = "nothing";

// A second model beside the first, with one thing changed; and another task.
function comparison(bar, figure) {
  const names = CHANGES.map(states.shown);
  const choose = text => figure.act(states.beside, CHANGES[names.indexOf(text)] ?? null);
  const input = menu(bar, "compare with", ALONE, [ALONE, ...names], choose);
  return ({change}) => fill(input, change ? states.shown(change) : ALONE);
}

function tasks(bar, figure) {
  const choose = title => figure.act(states.choose, states.named(title));
  return [
    menu(bar, "task", "", states.titles(), choose),
    textField(bar, "text", said => figure.act(states.type, said)),
  ];
}

const controlsOf = work => (bar, figure) => {
  const {data} = figure;
  const {kept} = data; // by address, and which was the last
  let run = null;
  let once = 0; // steps of an earlier visit, which are taken once more, and give the same model
  if (data.address) {
    const hear = () => {
      data.steps = kept[location.hash]?.steps;
      figure.act(states.sent, fromAddress(location.hash));
      bar.scrollIntoView(); // a link of the page may stand far below
    };
    addEventListener("hashchange", hear);
    const again = ({target}) => target.closest?.("a")?.hash === location.hash && hear();
    addEventListener("click", again); // the address stays the same, so the page hears of no change
  }
  const ask = driver(work, news => {
    if (!bar.isConnected) ask({steps: 0}); // the page has let go of the figure
    figure.act(states.arrived, news);
    const {said, run: now} = figure.state;
    if (!data.address || news.run !== now) return;
    kept[kept.last] = {said, steps: Math.max(news.step, once)};
    localStorage.setItem(KEPT, JSON.stringify(kept));
  });
  const {options, update} = fold(bar);
  const [task, text] = tasks(options, figure);
  const second = comparison(options, figure);
  const seed = number(options, figure, "seed", {min: 1, max: 9999, step: 1});
  const rate = number(options, figure, "rate", {min: 0.001, max: 1, step: 0.001});
  add(options, "span", {class: "row"});
  const model = settings(options, figure);
  button(options, "another example", () => {
    figure.act(states.nextText);
    ask({look: {step: figure.state.step, text: figure.state.text}});
  });
  const train = training(bar, figure, ask);
  const look = past(bar, figure, ask);
  const parts = all(update, second, seed, rate, model, train, look);
  return state => {
    fill(task, TASKS[state.task].title);
    fill(text, state.said ?? RHYME);
    rename(text, "text", state.task === "text");
    parts(state);
    if (state.run === run) return;
    run = state.run;
    if (data.address) history.replaceState(null, "", toAddress(state));
    kept.last = location.hash;
    once = data.steps ?? 0;
    data.steps = 0;
    if (once) figure.act(states.play, true);
    const {going} = figure.state;
    ask({...states.beginning(state), look: {step: null, text: state.text}, steps: once, going});
  };
};

// `work` is the engine, as a function whose text makes a worker: tools/live_code.py puts it in.
export const mounting = work => (live, data) => {
  const kept = (data.address && JSON.parse(localStorage.getItem(KEPT))) || {};
  const hash = location.hash || kept.last;
  const sent = {...data, kept, ...(hash && fromAddress(hash)), ...kept[hash]};
  const {begin, compute} = states;
  const controls = controlsOf(work);
  assemble({begin, compute, controls, draw, explain, style: STYLE, sizes})(live, sent);
};
