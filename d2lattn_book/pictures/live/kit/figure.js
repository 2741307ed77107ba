// How the parts of a figure work together: state, drawing and explanation.
import {barOf, saying} from "./controls.js";
import {add, set} from "./nodes.js";

// `prepare(data)` adds what is computed once; `begin(data)` is the state in which the figure opens
// and to which Reset returns; `compute(state, data)` are the numbers that follow from a state. They
// are pure, as are the changes of a state. `controls(bar, figure)` and `draw(box, figure)` make
// their nodes once and return what brings them up to date; `explain(state, now, data)` is the
// sentence. `act(change, ...)` is how a hand gets in: the next state is `change(state, ...)`, and
// the next frame shows it.
//
// A figure with `sizes(data)`, widths from small to large, is drawn for the largest that the page
// has room for, `figure.width`, and drawn anew when the page gets wider or narrower: its letters
// are never smaller than they are made. `hint(data)` tells what can be done, until it is done.
export function assemble({
  prepare = data => data,
  begin,
  compute,
  controls,
  draw,
  explain,
  ...more
}) {
  const {style, sizes = () => [0], hint} = more;
  return (live, sent) => {
    const data = prepare(sent);
    const widths = sizes(data);
    if (style) add(live, "style", {}, style);
    const figure = {data, state: begin(data), act, reset: () => act(() => begin(data))};
    const update = controls(barOf(live), figure);
    const say = saying(live);
    const picture = add(live, "div", {class: "picture"});
    let redraw = null;
    fill(widths.at(-1));
    if (hint) hintAt(live, hint(data));

    function fill(width) {
      figure.width = width;
      picture.replaceChildren();
      redraw = draw(picture, figure);
    }

    function render() {
      const {state} = figure;
      const now = compute(state, data);
      update(state);
      redraw(state, now);
      say(explain(state, now, data));
    }

    const soon = later(render);
    function act(change, ...given) {
      figure.state = change(figure.state, ...given);
      soon();
    }
    render();
    watch(live, width => {
      set(live.querySelector("[aria-live]"), {style: null});
      const most = widths.findLast(one => one <= width) ?? widths[0];
      if (most === figure.width) return;
      fill(most);
      render();
    });
  };
}

// The width only, which no drawing changes, and not while the page hides the figure.
function watch(live, change) {
  const told = ([{contentRect}]) => contentRect.width && change(contentRect.width);
  new ResizeObserver(told).observe(live);
}

// It keeps its room when it goes, so that nothing moves under the hand.
function hintAt(live, text) {
  const line = add(live, "p", {class: "hint"}, text);
  for (const kind of ["pointerdown", "keydown", "input"]) {
    const gone = event => event.key !== "Tab" && set(line, {class: "hint gone"});
    live.addEventListener(kind, gone);
  }
}

// At most one redraw in a frame.
function later(draw) {
  let waiting = 0;
  return () => {
    waiting ||= requestAnimationFrame(() => {
      waiting = 0;
      draw();
    });
  };
}

// What brings several parts up to date.
export const all =
  (...parts) =>
  (...now) =>
    parts.forEach(part => part(...now));

// The change of a state that needs no rule: some of its values are others.
export const alter = (state, others) => ({...state, ...others});
