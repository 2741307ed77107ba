// The text with the weights of who asks; below, every head of every layer, and what comes next.
import {all} from "../kit/figure.js";
import {add} from "../kit/nodes.js";
import {drawMaps} from "./maps.js";
import {drawNext} from "./next.js";
import {drawText} from "./text.js";

export const STYLE = `
.typed { width: min(330px, 62vw); }
.bar select { max-width: min(250px, 58vw); }
.text [role=row] { align-items: flex-end; }
.text [role=gridcell] { min-width: 46px; padding: 2px 6px; text-align: center; border-width: 2.5px; }
.text .room { display: flex; align-items: flex-end; justify-content: center; height: 44px; }
.text i { width: 34px; background: var(--weight); }
.text b { display: block; }
.text small { display: block; font-size: 13px; font-weight: 400; }
.text .later { opacity: .75; }
.maps { flex: 1 1 340px; max-width: 540px; min-width: 0; }
.maps [role=row] { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 112px); }
.maps [role=gridcell] { padding: 4px; text-align: center; font-size: 13px; max-width: 112px; }
.shown { border-color: var(--weight); }
.maps .off canvas { opacity: .3; }
.maps .frame { position: relative; border: 1px solid color-mix(in srgb, currentColor 35%, transparent); }
.maps canvas { width: 100%; aspect-ratio: 1; }
.maps .row { position: absolute; left: -2px; right: -2px; border: 2px solid var(--query); }
.next { flex: 1 1 250px; max-width: 330px; }
.next .likely { display: grid; grid-template-columns: 92px 1fr 44px; gap: 8px; height: 25px; }
.next .likely span { overflow: hidden; text-overflow: ellipsis; text-align: right; }
.next .likely b { text-align: right; }
.next .track { position: relative; }
.next i { height: 18px; margin-top: 2px; background: var(--output); }
.next .gone { display: none; }
.next .was { position: absolute; top: -1px; width: 3px; height: 20px; background: currentColor; }
`;

export function draw(live, figure) {
  const text = drawText(live, figure);
  const below = add(live, "div", {class: "below"});
  return all(text, drawMaps(below, figure), drawNext(below, figure));
}
