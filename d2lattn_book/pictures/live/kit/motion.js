// Motion. What is new is there at once: attributes, numbers, labels, the sentence. Only the picture
// takes its time and is there within 250 ms; whoever asks for less motion sees it jump.
//
// How a figure uses it:
// - <svg class="glides">: boxes, bars, bands, circles and groups glide wherever their attributes
//   are set to. A path glides if it keeps its kind and number of commands; text does not.
// - `put(node, x, y, turn)` moves or turns a node, text and lines too, and this glides as well.
// - `gliding(paint)` is for a canvas: what it returns takes new numbers and paints the way there.
// - `player(bar, figure, script)` is a button that plays a figure by itself.
// - `timeline(bar, figure, script)` plays it, goes back and forward, and has a slider.
// - `stepper(bar, figure, script)` are buttons and keys that tell a thought at a time.
import {button, fill, note, slider} from "./controls.js";
import {add, set} from "./nodes.js";

const LONG = 220; // milliseconds of a glide: over within 250 of the key, a frame before it included

export const GLIDES = `
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${LONG}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Where a node stands, in units of the drawing, and its turn about this place, in degrees.
export function put(node, x, y, turn = 0) {
  return set(node, {style: `transform:translate(${x}px,${y}px) rotate(${turn}deg)`});
}

// The way from the numbers that are shown to new ones. The first numbers are painted as they are,
// and new ones may come at any time: the way goes on from where it is.
export function gliding(paint) {
  let shown = null;
  let way = null;
  let waiting = 0;
  function frame() {
    const part = Math.min(1, (performance.now() - way.since) / LONG);
    const near = 1 - (1 - part) ** 3;
    shown = way.to.map((value, k) => way.from[k] + (value - way.from[k]) * near);
    paint(shown);
    waiting = part < 1 ? requestAnimationFrame(frame) : 0;
  }
  return values => {
    cancelAnimationFrame(waiting);
    waiting = 0;
    if (!shown || still()) return paint((shown = values));
    way = {from: shown, to: values, since: performance.now() - 16}; // a frame ago: it moves at once
    frame();
  };
}

// A button that plays: `next` and `rewind` change the state, `ended` says that there is no next,
// `every` is the time between, and where `held` says so, before the first move, too. Any other
// control stops it. What is said is read out where it ends.
export function player(bar, figure, {name = "Play", every = 400, ...script}) {
  const {next, rewind, ended, held = () => false} = script;
  let timer = 0;
  const node = button(bar, `▶ ${name}`, () => (timer ? stop() : start()));
  function stop() {
    clearInterval(timer);
    timer = 0;
    quiet(bar, false);
    set(node, {}, `▶ ${name}`);
  }
  function go() {
    if (!node.isConnected) return stop();
    if (ended(next(figure.state))) stop();
    figure.act(next);
  }
  function start() {
    if (ended(figure.state)) figure.act(rewind);
    timer = setInterval(go, every);
    quiet(bar, every <= 1000); // or nobody could listen to the end
    set(node, {}, "❚❚ Pause");
    if (!held(figure.state)) go();
  }
  for (const kind of ["input", "click"]) {
    bar.addEventListener(kind, event => timer && event.target !== node && stop());
  }
}

const quiet = (bar, yes) =>
  set(bar.parentNode.querySelector("[aria-live]"), {"aria-live": yes ? "off" : "polite"});

// The controls of a figure that goes from `first` to `last`: a button that plays it, buttons for the
// step before and the next, a slider. `at(state)` is where it stands; `go(state, place, data)` goes
// there, or as far as it gets. Where steps have `names`, a wide slider tells them without buttons,
// and the first is held as long as any other.
// At an end a button is off but keeps the focus: whoever came by key can turn round.
export function timeline(bar, figure, {name, first = 0, last, every, at, go, names}) {
  const {act, data} = figure;
  const to = place => act(go, place, data);
  player(bar, figure, {
    every,
    next: state => go(state, at(state) + 1, data),
    rewind: state => go(state, first, data),
    ended: state => at(state) === last,
    held: state => Boolean(names) && at(state) === first,
  });
  const step = (text, by) => button(bar, text, () => to(at(figure.state) + by));
  const back = !names && step("◀ back", -1);
  const forward = !names && step("forward ▶", 1);
  const range = slider(bar, name, {min: first, max: last, style: names ? "width:240px" : null}, to);
  const said = names && note(bar, {class: "b"});
  return state => {
    const place = at(state);
    fill(range, place);
    if (names) {
      set(range, {"aria-valuetext": names[place]});
      set(said, {}, names[place]);
    } else {
      set(back, {"aria-disabled": place === first});
      set(forward, {"aria-disabled": place === last});
    }
  };
}

// Buttons that tell a thought at a time, forwards and backwards; arrows, Home and End do, too.
// `place(state)` is the thought that is told, from 0, or null; `go(place)` tells it, and null
// closes the story. A thought of several parts, `parts(state)`, goes through them by itself, with
// `part(k)`; a key does not wait for them. It plays, with a `rest` after each thought, until a hand
// steps, or touches anything else; whoever asks for less motion steps from the first on.
export function stepper(bar, figure, script) {
  const {name, count, every = 280, rest = 4000, place, go, parts, part} = script;
  let playing = false;
  let wanting; // the button that gets the focus once it is shown
  const box = add(bar, "span", {class: "stepper", role: "group", "aria-label": name});
  const now = () => place(figure.state);
  const last = () => now() === count() - 1;
  const {wait, halt} = beat(box);
  function to(wanted, plays = false) {
    halt();
    const next = wanted === null || wanted >= count() ? null : Math.max(0, wanted);
    playing = plays && next !== null && !still();
    if (next === null || now() === null) hold(next);
    figure.act(go, next);
    if (next !== null) unfold(parts(figure.state));
  }
  function hold(next) {
    const stays = playing ? pause : forward;
    if (box.contains(box.getRootNode().activeElement)) wanting = next === null ? start : stays;
  }
  function unfold(all) {
    let k = still() ? all : Math.min(1, all);
    figure.act(part, k);
    if (k < all) wait(further, every);
    else told();
    function further() {
      figure.act(part, ++k);
      if (k >= all) told();
    }
  }
  function told() {
    halt();
    if (playing && !last()) wait(() => to(now() + 1, true), rest);
    else playing = false;
  }
  function stop() {
    if (!playing) return;
    halt();
    playing = false;
    if (now() !== null) figure.act(part, parts(figure.state));
  }
  const start = button(box, `▶ ${name}`, () => to(0, true));
  const pause = button(box, "❚❚ Pause", () =>
    playing ? stop() : to(last() ? 0 : now() + 1, true),
  );
  const back = button(box, "◀ back", () => to(now() - 1));
  const forward = button(box, "next ▶", () => to(now() + 1));
  const close = button(box, "close", () => to(null));
  steps(box, now, to);
  elsewhere(bar.parentNode, box, stop);
  return state => {
    const open = place(state) !== null;
    start.hidden = open;
    for (const one of [back, forward, close]) one.hidden = !open;
    pause.hidden = !open || still();
    set(pause, {}, playing ? "❚❚ Pause" : last() ? "▶ Play again" : "▶ Play on");
    if (!open) halt();
    wanting = wanting?.focus();
  };
}

// The keys of a story that is open.
function steps(box, now, to) {
  const keys = {ArrowRight: () => now() + 1, ArrowLeft: () => now() - 1, Home: () => 0};
  box.addEventListener("keydown", event => {
    if (now() === null || !keys[event.key]) return;
    event.preventDefault();
    to(keys[event.key]());
  });
}

// One act after the other, each at its time, as long as the page has the box.
function beat(box) {
  let timer = 0;
  const halt = () => clearInterval(timer);
  function wait(act, time) {
    halt();
    timer = setInterval(() => (box.isConnected ? act() : halt()), time);
  }
  return {wait, halt};
}

// A hand anywhere in the figure but in the box.
function elsewhere(live, box, act) {
  for (const kind of ["pointerdown", "keydown", "input"]) {
    live.addEventListener(kind, ({target}) => box.contains(target) || act());
  }
}
