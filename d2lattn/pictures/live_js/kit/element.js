// The element of a figure: its shadow, its keys, and the still table that steps back.
import {add, set} from "./nodes.js";
import {STYLE} from "./style.js";

// Define the element once; `mount` draws a figure from its data into its shadow root.
export function define(tag, mount) {
  if (customElements.get(tag)) return;
  const element = class extends HTMLElement {
    connectedCallback() {
      if (!this.shadowRoot) open(this, mount); // else moved by the page: the state stays
    }
  };
  customElements.define(tag, element);
}

function open(host, mount) {
  const data = JSON.parse(host.dataset.live);
  const root = host.attachShadow({mode: "open"});
  add(root, "style", {}, STYLE);
  const live = add(root, "div", {class: "live", role: "group", "aria-label": data.title});
  for (const role in data.roles) live.style.setProperty(`--${role}`, data.roles[role]);
  mount(live, data);
  set(host, {"data-lm-suppress-shortcuts": "true", "data-prevent-swipe": ""});
  root.addEventListener("keydown", event => leaveOrKeep(event, host));
  const still = host.previousElementSibling;
  if (still?.classList.contains("live-fallback")) host.append(still); // unseen under a shadow
}

// Plain keys belong to the figure and not to the notebook or the deck; Escape gives them back.
function leaveOrKeep(event, host) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
  event.stopPropagation();
  if (event.key !== "Escape") return;
  host.shadowRoot.activeElement?.blur();
  host.parentElement?.closest("[tabindex]")?.focus();
}
