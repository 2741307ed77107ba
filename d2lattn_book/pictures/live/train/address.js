// The settings as the address of a page has them, so that they can be sent. No page in here.
import {CHOICES} from "./state.js";
import {TASKS, settingsOf} from "./tasks.js";

const read = (name, text) => CHOICES[name]?.find(value => String(value) === text);

// The parts of an address by their names; none where a hand has broken it.
function partsOf(hash) {
  try {
    const parts = decodeURIComponent(hash.slice(1)).split("&");
    return Object.fromEntries(parts.map(part => part.split("=")));
  } catch {
    return {};
  }
}

// What an address says, "#task=copy&layers=1&compare=layers:2"; what it does not know is left out.
export function fromAddress(hash) {
  const {task = "", compare = "", rate, seed, ...said} = partsOf(hash);
  if (!Object.hasOwn(TASKS, task)) return null;
  const numbers = Object.entries({rate, seed}).map(([name, text]) => [name, Number(text)]);
  const model = Object.fromEntries(numbers.filter(([, value]) => value > 0));
  for (const [name, text] of Object.entries(said)) {
    const value = read(name, text);
    if (value !== undefined) model[name] = value;
  }
  const [name, text] = compare.split(":");
  const value = read(name, text);
  return {task, model, compare: value === undefined ? null : {[name]: value}};
}

// And back: only what differs from how the task opens by itself.
export function toAddress({task, settings, change}) {
  const usual = settingsOf(task);
  const parts = Object.entries(settings).filter(([name, value]) => value !== usual[name]);
  const compare = change ? [["compare", change.join(":")]] : [];
  const all = [["task", task], ...parts, ...compare];
  return `#${all.map(([name, value]) => `${name}=${value}`).join("&")}`;
}
