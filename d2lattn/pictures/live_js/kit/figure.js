// How the parts of a figure work together: state, drawing and explanation.
import {saying} from "./controls.js";
import {add} from "./nodes.js";

// `prepare(data)` adds what is computed once; `begin(data)` is the state in which the figure opens
// and to which Reset returns; `compute(state, data)` are the numbers that follow from a state. They
// are pure, as are the changes of a state. `controls` and `draw` make their nodes once and return
// what brings them up to date, `controls` also the field for a number if there is one;
// `explain(state, now, data)` is the sentence. `act(change, ...)` is how a hand gets in: the next
// state is `change(state, ...)`, and the next frame shows it.
export function assemble({prepare = data => data, begin, compute, controls, draw, explain, style}) {
  return (live, sent) => {
    const data = prepare(sent);
    if (style) add(live, "style", {}, style);
    const figure = {data, state: begin(data), act, reset: () => act(() => begin(data))};
    const bar = controls(live, figure);
    const say = saying(live);
    const redraw = draw(live, figure, bar.number);

    function render() {
      const {state} = figure;
      const now = compute(state, data);
      bar.update(state);
      redraw(state, now);
      say(explain(state, now, data));
    }

    const soon = later(render);
    function act(change, ...given) {
      figure.state = change(figure.state, ...given);
      soon();
    }
    render();
  };
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

// The change of a state that needs no rule: some of its values are others.
export const alter = (state, others) => ({...state, ...others});
