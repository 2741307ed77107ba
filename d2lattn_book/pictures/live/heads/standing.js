// The heads of a model that stand out, a line for each kind: a button leads to each of them.
import {button} from "../kit/controls.js";
import {alter} from "../kit/figure.js";
import {WIDE, add, set} from "../kit/nodes.js";
import {clamp, show} from "../kit/numbers.js";

const LINE = 680; // the width where a kind has a line of its own
const WALK = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1};
const FAR = {Home: -Infinity, End: Infinity};

export function drawStanding(live, {data, act, width}) {
  const {standing, score: scored, layers, numbers, without} = data;
  const name = {role: "toolbar", "aria-label": "heads that stand out"};
  const box = add(live, "div", {...name, class: width < LINE ? "narrow" : null});
  const all = standing.flatMap(({name: kind, keys, heads}) => {
    const title = `Score: ${scored}. Such keys: ${keys}.`;
    const line = add(box, "div", {class: "kind", title});
    add(line, "b", {}, kind);
    if (!heads.length) add(line, "span", {class: "s"}, "no head");
    return heads.map(([step, head, score]) => {
      const text = `L${layers[step]}H${numbers[head]} ${show(score)}`;
      const node = button(line, text, () => act(alter, {step, head}));
      const place = `${kind}: layer ${layers[step]}, head ${numbers[head]}`;
      set(node, {"aria-label": `${place}, score ${show(score)}`});
      return {node, step, head};
    });
  });
  if (width < WIDE) add(box, "div", {class: "s"}, `Score: ${scored}.`); // a slide has no room
  if (without.length) add(box, "div", {class: "s"}, `no maps in: layer ${without.join(", ")}`);
  const nodes = all.map(one => one.node);
  walkable(box, nodes);
  return state => {
    for (const {node, step, head} of all)
      set(node, {"aria-pressed": String(step === state.step && head === state.head)});
  };
}

// One tab stop; arrows, Home and End walk from button to button, and none is pressed on the way.
function walkable(box, nodes) {
  const stop = k => nodes.forEach((node, i) => set(node, {tabindex: i === k ? 0 : -1}));
  stop(0);
  box.addEventListener("keydown", event => {
    const step = WALK[event.key] ?? FAR[event.key];
    if (!step) return;
    event.preventDefault();
    const k = clamp(nodes.indexOf(event.target) + step, 0, nodes.length - 1);
    stop(k);
    nodes[k].focus();
  });
  nodes.forEach((node, k) => node.addEventListener("click", () => stop(k)));
}
