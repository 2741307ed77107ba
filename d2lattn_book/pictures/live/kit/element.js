// The element of a figure: its shadow, its keys, and the still table that steps back.
import {add, set} from "./nodes.js";
import {STYLE} from "./style.js";

const SLIDES = ".reveal"; // of `make slides`
const CLICKER = /^Page/;
const PLACES = "[role],[type=range]"; // no fields or menus
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
  const mark = event =>
    event.target.localName === tag && event.target.toggleAttribute(SUPPRESSED, !savesOrRuns(event));
  addEventListener("keydown", mark, true);
}

const savesOrRuns = ({key, ctrlKey, metaKey, shiftKey}) =>
  key === "Enter" ? shiftKey || ctrlKey : key === "s" && (ctrlKey || metaKey);

function open(host, mount) {
  const data = {...JSON.parse(host.dataset.live), deck: host.closest(SLIDES) !== null};
  const root = host.attachShadow({mode: "open"});
  add(root, "style", {}, STYLE);
  const live = add(root, "div", {class: "live", role: "group", "aria-label": data.title});
  for (const role in data.roles) live.style.setProperty(`--${role}`, data.roles[role]);
  mount(live, data);
  set(host, {[SUPPRESSED]: "", "data-prevent-swipe": ""});
  giveBack(root, host, data.deck);
  const still = host.previousElementSibling;
  if (still?.classList.contains("live-fallback")) host.append(still); // unseen under a shadow
}

// Plain keys belong to the figure and not to the notebook or the slides, but for those that save the
// notebook or run a cell; Escape gives them back. On slides so do the keys of a clicker, wherever the
// figure was last touched, the arrows after a pointer, and a button, a fold or a menu that was used by
// one; who came by key stays.
function giveBack(root, host, deck) {
  let pointed = false;
  let turns = false;
  root.addEventListener("pointerdown", () => (pointed = true));
  const before = event => {
    turns = deck && turnsThePage(event, pointed);
    if (turns) event.preventDefault(); // and no part of the figure acts on it
    pointed = false;
  };
  root.addEventListener("keydown", before, true);
  root.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    if (savesOrRuns(event)) return leave(host);
    if (!turns) event.stopPropagation();
    if (turns || event.key === "Escape") leave(host);
  });
  for (const [kind, used] of Object.entries(USED)) {
    const letGo = ({target}) => deck && pointed && target.matches(used);
    root.addEventListener(kind, event => letGo(event) && leave(host), true);
  }
}

// A presenter may have no keys but arrows.
const turnsThePage = ({key, target}, pointed) =>
  CLICKER.test(key) || (pointed && /^Arrow[LR]/.test(key) && target.matches(PLACES));

function leave(host) {
  host.shadowRoot.activeElement?.blur();
  host.closest("[tabindex]")?.focus();
}
