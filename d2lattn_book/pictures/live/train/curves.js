// The loss: in learning, in use, and the bound that no honest reader gets below.
import {add, set, shown} from "../kit/nodes.js";
import {show} from "../kit/numbers.js";

const LEFT = 34;
const LEGEND = 82; // to the right of the title
const LINE = 16; // of the legend
const ROOMY = 300; // pixels across: two names in a line
const FOOT = 20;
const POINTS = 160; // of a line; each is the mean of the steps that it stands for
const SHORT = 100; // steps that the axis has room for at least

// The mean of every so many losses, as [step, loss].
export function means(losses) {
  const bin = Math.ceil(losses.length / POINTS) || 1;
  const points = losses.length ? [[1, losses[0]]] : [];
  for (let k = bin; k <= losses.length; k += bin) {
    const some = losses.slice(k - bin, k);
    points.push([k, some.reduce((total, loss) => total + loss, 0) / bin]);
  }
  return points;
}

const DASHES = [null, "6 4"]; // of the first model and of the second

export function drawCurves({svg, width, height}) {
  add(svg, "text", {y: 14, class: "b"}, "loss, nats");
  const [right, down] = width < ROOMY ? [LEGEND, LINE] : [LEGEND + 120, 0];
  const legend = [
    [LEGEND, 14, "currentColor", "training loss"],
    [right, 14 + down, "var(--output)", "held-out loss"],
  ];
  for (const [x, y, stroke, name] of legend) {
    add(svg, "path", {d: `M${x},${y - 4}h20`, stroke, "stroke-width": 2.5});
    add(svg, "text", {x: x + 25, y, class: "s"}, name);
  }
  const second = add(svg, "text", {x: LEGEND, y: 30 + down, class: "s"}, "dashed: model 2");
  const top = 40 + down; // above: what the lines are
  const foot = height - FOOT;
  const looks = {fill: "none", stroke: "currentColor", "stroke-opacity": 0.5};
  add(svg, "path", {...looks, d: `M${LEFT},${top - 8}V${foot}H${width}`});
  const most = add(svg, "text", {class: "e s", x: LEFT - 6, y: top + 4});
  add(svg, "text", {class: "e s", x: LEFT - 6, y: foot + 4}, "0");
  const end = add(svg, "text", {class: "e s", x: width, y: height - 4});
  const start = {class: "s", x: LEFT, y: height - 4};
  add(svg, "text", start, "step");
  const level = (dashes, name, below) => ({
    below,
    line: add(svg, "path", {...looks, "stroke-opacity": 0.8, "stroke-dasharray": dashes}),
    says: add(svg, "text", {class: "e t", x: width - 2}),
    name,
  });
  const levels = [level("2 4", "unigram baseline"), level("9 4", "best possible", true)];
  const paths = DASHES.map(dashes =>
    ["var(--output)", "currentColor"].map(stroke =>
      add(svg, "path", {fill: "none", stroke, "stroke-width": 2, "stroke-dasharray": dashes}),
    ),
  );
  const here = add(svg, "path", {stroke: "var(--query)", "stroke-width": 2});

  return ({bound, blind}, {models, step, last}) => {
    const used = models.map(({exams}) => exams.map(one => [one.step, one.loss]));
    const learned = models.map(({losses}) => means(losses));
    const highest = Math.max(blind, ...[...used, ...learned].flat().map(([, loss]) => loss));
    const long = Math.max(SHORT, last);
    const x = k => LEFT + (k / long) * (width - LEFT);
    const y = loss => foot - (loss / highest) * (foot - top);
    const line = points => points.map(([k, loss], n) => `${n ? "L" : "M"}${x(k)},${y(loss)}`);
    set(most, {}, show(highest, 1));
    set(second, shown(models.length > 1));
    set(end, {}, long);
    [blind, bound].forEach((loss, k) => placeLevel(levels[k], loss, y, width));
    paths.forEach((pair, k) =>
      [used[k], learned[k]].forEach((points, n) => {
        set(pair[n], {d: points ? line(points).join("") || "M0,0" : "M0,0"});
      }),
    );
    set(here, {d: `M${x(step)},${top - 4}V${foot}`, ...shown(step < last)});
  };
}

// Its name stands where the curves do not come: above the baseline, below the best possible, and
// where that is the axis, below it.
function placeLevel({line, says, name, below}, loss, y, width) {
  set(line, shown(loss !== null));
  set(says, shown(loss !== null));
  if (loss === null) return;
  set(line, {d: `M${LEFT},${y(loss)}H${width}`});
  const low = below && y(0) - y(loss) < 18;
  const x = low ? width - 44 : width - 2; // the last step stands there
  const at = low ? y(0) + FOOT - 4 : y(loss) + (below ? 15 : -5);
  set(says, {x, y: at}, `${name}: ${show(loss)}`);
}
