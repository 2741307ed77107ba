// Nodes of a page and of a drawing: made once, changed by their attributes.

const SVG = "http://www.w3.org/2000/svg";
const WIDEST = 1180; // pixels of a page; the element itself stops there, too
const NARROWEST = 0.93; // of the drawing's own width: below that, it scrolls to the side

export const WIDE = 884; // a drawing for a wide page; what is narrower has its parts stacked

export const isDrawn = node => node.namespaceURI === SVG;

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
  const drawn = tag === "svg" || isDrawn(parent);
  const node = drawn ? document.createElementNS(SVG, tag) : document.createElement(tag);
  set(node, attributes, text);
  parent.append(node);
  return node;
}

export const shown = yes => ({visibility: yes ? null : "hidden"});

// A drawing in its box: as wide as the page lets it be, but not so high that a slide of 1280 × 720
// has no room for its heading and its controls, and not so narrow that nobody can read it: then it
// scrolls to the side. What is drawn with its parts stacked may be as high as it likes.
export function stage(live) {
  return add(add(live, "div", {class: "scroll"}), "div", {class: "stage"});
}

export function fit(svg, width, height, high = 450, stacked = width < WIDE) {
  const limit = stacked ? Infinity : high;
  const most = Math.min(WIDEST, Math.round((limit * width) / height));
  const least = Math.round(NARROWEST * width);
  set(svg, {viewBox: `0 0 ${width} ${height}`});
  set(svg.parentNode, {style: `max-width:${most}px;min-width:${least}px`});
}

// Lay a canvas under a rectangle of the drawing, which is `size` wide and high.
export function lay(canvas, {x, y, width, height}, size) {
  const percent = part => `${100 * part}%`;
  const left = `left:${percent(x / size.width)};top:${percent(y / size.height)}`;
  const wide = `width:${percent(width / size.width)};height:${percent(height / size.height)}`;
  set(canvas, {style: `${left};${wide}`});
}

// A hand takes hold of a node: `start(event)` tells of what, `move(event, held)` hears where it goes,
// `end(event, held)` where it lets go. A finger does not scroll the page meanwhile: inside of a
// drawing, touch-action does nothing. What only touches it is a click still.
export function dragged(node, start, move, end = () => {}) {
  let held = null;
  node.addEventListener("touchmove", event => event.preventDefault(), {passive: false});
  node.addEventListener("pointerdown", event => {
    held = start(event);
    node.setPointerCapture(event.pointerId);
  });
  node.addEventListener("pointermove", event => held && move(event, held));
  for (const kind of ["pointerup", "pointercancel"]) {
    node.addEventListener(kind, event => {
      if (held) end(event, held);
      held = null;
    });
  }
}

// Where a pointer is in the drawing's own coordinates.
export function within(svg, event) {
  const matrix = svg.getScreenCTM();
  return [(event.clientX - matrix.e) / matrix.a, (event.clientY - matrix.f) / matrix.d];
}
