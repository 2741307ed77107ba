// The element of a figure: its shadow, its keys, and the still table that steps back.
import {add, set} from "./nodes.js";
import {STYLE} from "./style.js";

const SLIDES = ".reveal"; // of `make slides`
const CLICKER = ["PageUp", "PageDown"];
const ARROWS = /^Arrow[LR]/; // of a presenter that has no others
const PLACES = "[role],[type=range]"; // and no fields or menus
const SUPPRESSED = "data-lm-suppress-shortcuts"; // JupyterLab's
const USED = {click: "button, summary", change: "select, [type=checkbox]"};

// Define the element once; `mount` draws a figure from its data into its shadow root.
export function define(tag, mount) {
  if (customElements.get(tag)) return;
  const element = class extends HTMLElement {
    connectedCallback() {
      if (!this.shadowRoot) open(this, mount); // else moved by the page: the state stays
    }
  };
  customElements.define(tag, element);
  // JupyterLab looks for the attribute before the figure hears of a key.
  const mark = event => event.target.localName === tag && withhold(event.target, event);
  addEventListener("keydown", mark, {capture: true});
}

const withhold = (host, event) => host.toggleAttribute(SUPPRESSED, !savesOrRuns(event));

const savesOrRuns = ({key, ctrlKey, metaKey, shiftKey}) =>
  key === "Enter" ? shiftKey || ctrlKey : key === "s" && (ctrlKey || metaKey);

function open(host, mount) {
  const data = {...JSON.parse(host.dataset.live), deck: Boolean(host.closest(SLIDES))};
  const root = host.attachShadow({mode: "open"});
  add(root, "style", {}, STYLE);
  const live = add(root, "div", {class: "live", role: "group", "aria-label": data.title});
  for (const role in data.roles) live.style.setProperty(`--${role}`, data.roles[role]);
  mount(live, data);
  set(host, {[SUPPRESSED]: "", "data-prevent-swipe": ""});
  giveBack(root, host);
  const still = host.previousElementSibling;
  if (still?.classList.contains("live-fallback")) host.append(still); // unseen under a shadow
}

// Plain keys belong to the figure and not to the notebook or the slides, but for those that save the
// notebook or run a cell; Escape gives them back. On slides so do the keys of a clicker, wherever the
// figure was last touched, the arrows after a pointer, and a button, a fold or a menu that was used by
// one; who came by key stays.
function giveBack(root, host) {
  let pointed = false;
  root.addEventListener("pointerdown", () => (pointed = true));
  root.addEventListener("keydown", event => {
    const turns = host.closest(SLIDES) && turnsThePage(event, pointed);
    pointed = false;
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    if (savesOrRuns(event)) return leave(host);
    if (!turns) event.stopPropagation();
    if (turns || event.key === "Escape") leave(host);
  });
  for (const [kind, used] of Object.entries(USED)) {
    const letGo = ({target}) => pointed && target.matches(used) && host.closest(SLIDES);
    root.addEventListener(kind, event => letGo(event) && leave(host), {capture: true});
  }
}

const turnsThePage = ({key, target}, pointed) =>
  CLICKER.includes(key) || (pointed && ARROWS.test(key) && target.matches(PLACES));

function leave(host) {
  host.shadowRoot.activeElement?.blur();
  host.parentElement?.closest("[tabindex]")?.focus();
}
