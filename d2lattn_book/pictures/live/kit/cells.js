// Cells that can be walked, numbers in boxes, and numbers that can be changed by hand.
import {clamp, hundredths, show} from "./numbers.js";
import {add, dragged, isDrawn, set, shown} from "./nodes.js";

const WALK = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  Home: [0, -Infinity],
  End: [0, Infinity],
};

// A grid of cells, rows of the given lengths: one tab stop; arrows, Home and End walk, and whoever
// is walked to is picked.
export function grid(parent, name, lengths, build, pick) {
  const tag = isDrawn(parent) ? "g" : "div";
  const root = add(parent, tag, {role: "grid", "aria-label": name});
  const cells = lengths.map((length, i) => {
    const row = add(root, tag, {role: "row"});
    return Array.from({length}, (_, j) => {
      const cell = add(row, tag, {role: "gridcell", tabindex: i + j ? -1 : 0});
      cell.at = [i, j];
      build(cell, i, j);
      return cell;
    });
  });
  const choose = at => {
    for (const cell of cells.flat()) set(cell, {tabindex: cell.at === at ? 0 : -1});
    pick(...at);
  };
  walkable(root, cells, choose);
  return cells;
}

// A strip of cells in a place of its own, across or down, one of them chosen: Tab arrives there. It
// is made anew where there are more or fewer; `look(cell, k)` draws one and tells [label, class].
export function strip(place, name, build, pick, down = false) {
  let cells = [];
  return (count, chosen, look) => {
    if (cells.length !== count) {
      place.replaceChildren();
      const lengths = down ? Array(count).fill(1) : [count];
      cells = grid(place, name, lengths, build, (i, j) => pick(i + j)).flat();
    }
    cells.forEach((cell, k) => {
      const [label, kind] = look(cell, k);
      set(cell, {"aria-label": label, class: kind || null, tabindex: k === chosen ? 0 : -1});
    });
  };
}

// Tab comes back to this row, so that to pass by changes nothing.
export function rest(cells, i) {
  const stop = cells.flat().find(cell => cell.getAttribute("tabindex") === "0");
  const next = cells[i][Math.min(stop.at[1], cells[i].length - 1)];
  if (next === stop) return;
  set(stop, {tabindex: -1});
  set(next, {tabindex: 0});
}

function walkable(root, cells, choose) {
  const find = event => event.target.closest("[role=gridcell]")?.at;
  const nearest = (k, list) => list[clamp(k, 0, list.length - 1)];
  const go = (i, j) => {
    const cell = nearest(j, nearest(i, cells));
    cell.focus();
    choose(cell.at); // also where a page without focus sends no event
  };
  // Not on the grid itself: Chromium makes a tab stop of drawn nodes that listen for focus.
  root.getRootNode().addEventListener("focusin", event => {
    if (root.contains(event.target)) choose(find(event));
  });
  root.addEventListener("click", event => find(event) && go(...find(event)));
  root.addEventListener("keydown", event => {
    const step = WALK[event.key];
    if (!step || event.shiftKey || event.defaultPrevented) return;
    event.preventDefault();
    const [i, j] = find(event);
    go(i + step[0], j + step[1]);
  });
}

// A grid of numbers in boxes. `update(values, look)` writes them; look gives tint, opacity, label.
// `over` hears of the place that a pointer is over, or null; `gap` is what lies between rows.
// `outline(role, i, j, high, wide)` frames a part of it; without a place the frame goes.
export function panel(parent, {name, x, y, rows, columns, width, height = 24, pad = 6, ...more}) {
  const {pick, over, edit = () => false, write = show, gap = 0} = more;
  const line = height + gap; // from row to row
  const build = (cell, i, j) => {
    const at = {x: x + j * width, y: y + i * line, width: width - 2, height: height - 2, rx: 3};
    const right = {x: at.x + width - pad, y: at.y + height / 2 + 3.2};
    add(cell, "rect", {...at, class: "box"});
    add(cell, "rect", {...at, class: "tint"});
    add(cell, "text", {...right, class: pad < 6 ? "n t" : "n s"});
    add(cell, "rect", {...at, class: "ring"});
    if (edit(i, j)) set(cell, {class: "edit"});
    if (over) cell.addEventListener("pointermove", () => over([i, j])); // by a hand, not by the page
    if (over) cell.addEventListener("pointerleave", () => over(null));
  };
  const cells = grid(parent, name, Array(rows).fill(columns), build, pick);
  const one = (cell, value, {tint = "value", opacity = 0, label, text, fade}) => {
    const [, colour, number] = cell.children;
    set(colour, {fill: `var(--${tint})`, "fill-opacity": opacity});
    set(number, {opacity: fade ? 0.72 : null}, text ?? write(value));
    set(cell, {"aria-label": label});
  };
  const marks = {};
  return {
    cells,
    right: x + columns * width,
    bottom: y + rows * line,
    update(values, look) {
      cells.forEach((row, i) =>
        row.forEach((cell, j) => one(cell, values[i][j], look(values[i][j], i, j))),
      );
    },
    outline(role, i, j = 0, high = 1, wide = columns) {
      const looks = {class: "mark", rx: 4, stroke: `var(--${role})`};
      const mark = (marks[role] ??= add(parent, "rect", looks));
      set(mark, shown(i !== undefined));
      if (i === undefined) return;
      const at = {x: x + j * width - 2, y: y + i * line - 2};
      set(mark, {...at, width: wide * width + 2, height: high * line + 2 - gap});
    },
  };
}

const STEP = 0.1; // of a number that is dragged or turned
const PIXELS = 6; // of the drawing, to drag for one step

// Numbers to change: dragged up and down, turned with Shift and the arrows, or typed. A digit or
// Enter on a cell leads to the number field, Enter there leads back.
export function editable(svg, cells, figure, read, write) {
  const {number} = figure;
  for (const cell of cells.flat().filter(one => one.classList.contains("edit"))) {
    const value = () => read(...cell.at);
    const change = to => write(...cell.at, hundredths(to));
    const start = event => ({y: event.clientY, value: value()});
    dragged(cell, start, (event, from) => {
      const moved = Math.round((from.y - event.clientY) / svg.getScreenCTM().d / PIXELS);
      if (moved || from.turned) change(from.value + moved * STEP);
      from.turned ||= moved;
    });
    cell.addEventListener("keydown", event => {
      const way = {ArrowUp: 1, ArrowDown: -1}[event.key];
      if (way && event.shiftKey) {
        event.preventDefault();
        change(value() + way * STEP);
      } else if (/^([-.\d]|Enter)$/.test(event.key)) {
        if (event.key === "Enter") event.preventDefault();
        number.back = cell;
        set(number.parentNode, {style: null}); // it is offered a frame later
        number.focus();
        number.select();
      }
    });
  }
}
