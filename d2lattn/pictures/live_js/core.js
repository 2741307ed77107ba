// What every live figure shares: the element, its keys, its controls, its cells.
// Pure functions of numbers come first; the rest draws. Node imports both, a page gets both.

// A number as it stands in a cell: fixed places, a true minus sign, never "−0.00".
export function show(value, places = 2) {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const text = size >= 1e4 || (size > 0 && size < 1e-9) ? size.toExponential(1) : size.toFixed(size >= 100 ? Math.min(1, places) : places);
  return (value < 0 && Number(text) !== 0 ? "−" : "") + text;
}

export const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

// A number in a narrow cell: five characters at most, whole numbers from 100, powers of ten from 1000.
export function short(value) {
  const size = Math.abs(value);
  if (size < 1e-9) return show(0);
  return size < 1000 || size === Infinity ? show(value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0) : value.toExponential(0).replace("-", "−").replace("e+", "e");
}

// A number inside arithmetic: no needless zeros; as a factor, brackets around what is negative.
export const plain = value => show(value).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
export const factor = value => (plain(value)[0] === "−" ? `(${plain(value)})` : plain(value));

// Softmax of the visible scores. A row that sees nothing has shares of 0, as in the package.
export function softmax(scores, visible = scores.map(() => true)) {
  const largest = Math.max(...scores.filter((_, j) => visible[j]));
  if (largest === -Infinity) return {shares: scores.map(() => 0), sum: 0, largest};
  const powers = scores.map((score, j) => (visible[j] ? Math.exp(score - largest) : 0));
  const sum = powers.reduce((a, b) => a + b, 0);
  return {shares: powers.map(power => power / sum), sum, largest};
}

const SVG = "http://www.w3.org/2000/svg";

export function set(node, attributes, text) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) node.removeAttribute(name);
    else node.setAttribute(name, value);
  }
  if (text !== undefined && node.textContent !== String(text)) node.textContent = text;
  return node;
}

// A child, in the namespace of its parent.
export function add(parent, tag, attributes = {}, text) {
  const drawn = tag === "svg" || parent.namespaceURI === SVG;
  const node = drawn ? document.createElementNS(SVG, tag) : document.createElement(tag);
  set(node, attributes, text);
  parent.append(node);
  return node;
}

// A drawing in its box: as wide as the page lets it be, but not so high that a slide of 1280 × 720
// has no room for its heading and its controls, and not so narrow that nobody can read it: on a
// phone, or at 200 %, it scrolls to the side.
export function stage(live) {
  return add(add(live, "div", {class: "scroll"}), "div", {class: "stage"});
}

export function frame(svg, width, height, high = 450) {
  set(svg, {viewBox: `0 0 ${width} ${height}`});
  set(svg.parentNode, {style: `max-width:${Math.min(1180, Math.round(high * width / height))}px;min-width:${Math.round(.7 * width)}px`});
}

// At most one redraw in a frame.
export function later(draw) {
  let waiting = 0;
  return () => {
    waiting ||= requestAnimationFrame(() => {
      waiting = 0;
      draw();
    });
  };
}

const STYLE = `
:host { display: block; color: inherit; max-width: 1180px; margin: 4px 0; }
* { box-sizing: border-box; }
.live { font: 15px/1.45 system-ui, "Segoe UI", "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; font-variant-numeric: tabular-nums; }
svg { display: block; width: 100%; height: auto; overflow: visible; }
text { fill: currentColor; font-size: 14px; }
.n { text-anchor: end; } .m { text-anchor: middle; } .e { text-anchor: end; } .b { font-weight: 600; } .s { font-size: 13px; } .t { font-size: 12px; } .big { font-size: 15px; font-weight: 600; }
[role=gridcell], [role=grid] { outline: none; }
[role=gridcell] { cursor: pointer; }
.edit { cursor: ns-resize; touch-action: none; }
.box { fill: currentColor; fill-opacity: .05; }
.tint { pointer-events: none; } .mark { fill: none; stroke-width: 2; pointer-events: none; }
.ring { fill: none; stroke: none; pointer-events: none; }
[role=gridcell]:focus-visible .ring, [role=gridcell]:focus .ring { stroke: currentColor; stroke-width: 2; }
.bar { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: center; margin: 6px 0; }
label { display: inline-flex; gap: 6px; align-items: center; }
input, select, button { font: inherit; color: inherit; background: transparent; border: 1px solid color-mix(in srgb, currentColor 55%, transparent); border-radius: 4px; padding: 2px 8px; min-height: 26px; }
option { color: #111; background: #fff; }
input[type=range] { padding: 0; width: 130px; accent-color: var(--query); }
input[type=checkbox] { width: 18px; min-height: 18px; accent-color: var(--query); }
input[type=number] { width: 88px; }
:is(input, select, button):focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
p { margin: 4px 0; min-height: 3em; }
.role { text-decoration: underline 3px; text-underline-offset: 3px; }
[hidden] { display: none; }
canvas { display: block; image-rendering: pixelated; }
.scroll { overflow-x: auto; padding: 3px; margin: -3px; } .stage { position: relative; } .stage canvas { position: absolute; } .stage svg { position: relative; }
@media print { :host { break-inside: avoid; } .bar { display: none; } .scroll { overflow: visible; } .stage { min-width: 0 !important; } }
`;

// Define the element once; `mount` draws a figure from its data into its shadow root.
export function define(tag, mount) {
  if (customElements.get(tag)) return;
  customElements.define(tag, class extends HTMLElement {
    connectedCallback() {
      if (this.shadowRoot) return; // moved by the page: the state stays
      const data = JSON.parse(this.dataset.live);
      const root = this.attachShadow({mode: "open"});
      add(root, "style", {}, STYLE);
      const live = add(root, "div", {class: "live", role: "group", "aria-label": data.title});
      for (const role in data.roles) live.style.setProperty(`--${role}`, data.roles[role]);
      mount(live, data);
      set(this, {"data-lm-suppress-shortcuts": "true", "data-prevent-swipe": ""});
      root.addEventListener("keydown", event => leaveOrKeep(event, this));
      const still = this.previousElementSibling;
      if (still?.classList.contains("live-fallback")) this.append(still); // unseen under a shadow
    }
  });
}

// Plain keys belong to the figure and not to the notebook or the deck; Escape gives them back.
function leaveOrKeep(event, host) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
  event.stopPropagation();
  if (event.key !== "Escape") return;
  host.shadowRoot.activeElement?.blur();
  host.parentElement?.closest("[tabindex]")?.focus();
}

// A labelled control of the browser's own: range, number, checkbox or select.
export function control(bar, name, attributes, change, choices) {
  const label = add(bar, "label", {}, name);
  const input = add(label, choices ? "select" : "input", attributes);
  for (const choice of choices ?? []) add(input, "option", {value: choice}, choice);
  if (choices) input.value = attributes.value;
  input.addEventListener("input", () => change(input));
  return input;
}

// The field for the number that is chosen. Enter leads back to where it stands.
export function numberField(bar, write) {
  const number = control(bar, "number", {type: "number", step: .1}, () => Math.abs(number.valueAsNumber) <= 1e6 && write(number.valueAsNumber));
  number.addEventListener("keydown", event => event.key === "Enter" && number.back?.focus());
  return number;
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

// The sentence that tells what is chosen: [["text"], ["cat", "query"], …], roles underlined.
export function saying(live) {
  const line = add(live, "p", {"aria-live": "polite"});
  let said = "";
  return parts => {
    const text = parts.map(part => part[0]).join("");
    if (text === said) return;
    said = text;
    line.replaceChildren(...parts.map(([text, role]) => {
      const span = document.createElement("span");
      span.textContent = text;
      if (role) set(span, {class: "role", style: `text-decoration-color: var(--${role})`});
      return span;
    }));
  };
}

// A grid of cells, rows of the given lengths: one tab stop; arrows, Home and End walk, and whoever
// is walked to is picked.
export function grid(parent, name, lengths, build, pick) {
  const tag = parent.namespaceURI === SVG ? "g" : "div";
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
  const find = event => event.target.closest("[role=gridcell]")?.at;
  const within = (k, list) => list[Math.max(0, Math.min(list.length - 1, k))];
  const choose = at => {
    for (const cell of cells.flat()) set(cell, {tabindex: cell.at === at ? 0 : -1});
    pick(...at);
  };
  const go = (i, j) => {
    const cell = within(j, within(i, cells));
    cell.focus();
    choose(cell.at); // also where a page without focus sends no event
  };
  // Not on the grid itself: Chromium makes a tab stop of drawn nodes that listen for focus.
  root.getRootNode().addEventListener("focusin", event => root.contains(event.target) && choose(find(event)));
  root.addEventListener("click", event => find(event) && go(...find(event)));
  root.addEventListener("keydown", event => {
    const step = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -99], End: [0, 99]}[event.key];
    if (!step || event.shiftKey) return;
    event.preventDefault();
    const [i, j] = find(event);
    go(i + step[0], j + step[1]);
  });
  return cells;
}

// A grid of numbers in boxes. `update(values, look)` writes them; look gives tint, opacity, label.
export function panel(parent, {name, x, y, rows, columns, width, height = 24, pad = 6, pick, edit = () => false, write = show}) {
  const cells = grid(parent, name, Array(rows).fill(columns), (cell, i, j) => {
    const at = {x: x + j * width, y: y + i * height, width: width - 2, height: height - 2, rx: 3};
    add(cell, "rect", {...at, class: "box"});
    add(cell, "rect", {...at, class: "tint"});
    add(cell, "text", {x: at.x + width - pad, y: at.y + height / 2 + 3.2, class: pad < 6 ? "n t" : "n s"});
    add(cell, "rect", {...at, class: "ring"});
    if (edit(i, j)) set(cell, {class: "edit"});
  }, pick);
  const marks = {};
  return {
    cells, right: x + columns * width, bottom: y + rows * height,
    update(values, look) {
      cells.forEach((row, i) => row.forEach((cell, j) => {
        const {tint = "value", opacity = 0, label, text, fade} = look(values[i][j], i, j);
        const [, colour, number] = cell.children;
        set(colour, {fill: `var(--${tint})`, "fill-opacity": opacity});
        set(number, {opacity: fade ? .72 : null}, text ?? write(values[i][j]));
        set(cell, {"aria-label": label});
      }));
    },
    // A frame around part of the grid in the colour of a role; without a place it goes.
    frame(role, i, j = 0, high = 1, wide = columns) {
      const mark = (marks[role] ??= add(parent, "rect", {class: "mark", rx: 4, stroke: `var(--${role})`}));
      set(mark, {visibility: i === undefined ? "hidden" : null});
      if (i !== undefined) set(mark, {x: x + j * width - 2, y: y + i * height - 2, width: wide * width + 2, height: high * height + 2});
    },
  };
}

// Numbers to change: dragged up and down, turned with Shift and the arrows, or typed. A digit or
// Enter on a cell leads to the number field, Enter there leads back.
export function editable(svg, cells, number, read, write) {
  const near = value => Math.round(value * 100) / 100, step = .1;
  for (const cell of cells.flat().filter(cell => cell.classList.contains("edit"))) {
    let from = null;
    cell.addEventListener("pointerdown", event => {
      from = {y: event.clientY, value: read(...cell.at)};
      cell.setPointerCapture(event.pointerId);
    });
    cell.addEventListener("pointermove", event => {
      if (!from) return;
      const moved = Math.round((from.y - event.clientY) / svg.getScreenCTM().d / 6);
      if (moved || from.turned) write(...cell.at, near(from.value + moved * step));
      from.turned ||= moved;
    });
    for (const end of ["pointerup", "pointercancel"]) cell.addEventListener(end, () => (from = null));
    cell.addEventListener("keydown", event => {
      const way = {ArrowUp: 1, ArrowDown: -1}[event.key];
      if (way && event.shiftKey) {
        event.preventDefault();
        write(...cell.at, near(read(...cell.at) + way * step));
      } else if (/^([-.\d]|Enter)$/.test(event.key)) {
        if (event.key === "Enter") event.preventDefault();
        number.back = cell;
        number.focus();
        number.select();
      }
    });
  }
}
