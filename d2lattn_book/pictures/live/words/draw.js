// The map on the left; on the right the sentence, each word with the line that leads to it.
import {all} from "../kit/figure.js";
import {add} from "../kit/nodes.js";
import {drawList} from "./list.js";
import {drawPlane} from "./plane.js";

export const STYLE = `
.map { display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: center; }
.plane { flex: 1 1 400px; max-width: 528px; min-width: 0; }
.plane text { font-size: 15px; }
.dot { cursor: grab; outline: none; }
.dot:active { cursor: grabbing; }
.dot:focus-visible .ring { stroke: currentColor; stroke-width: 2; }
.list { flex: 1 1 250px; max-width: 330px; }
.told { margin-bottom: 6px; min-height: 2.9em; }
.list [role=row] { display: block; }
.list [role=gridcell] {
  display: grid; grid-template-columns: 92px 1fr 44px; gap: 8px; align-items: center;
  height: 34px; padding: 0 8px; border-width: 2.5px;
}
.list b { font-weight: 600; text-align: right; }
.list span { overflow: hidden; text-overflow: ellipsis; }
.list i { background: var(--weight); }
@media print { .drag { display: none; } }
.list p { min-height: 0; margin: 8px 0 0; }
.out { color: var(--output); }
.bar label { max-width: 100%; flex-wrap: wrap; }
.bar select { min-width: 0; }
.typed { width: 290px; max-width: 100%; }
`;

export function draw(live, figure) {
  const box = add(live, "div", {class: "map"});
  return all(drawPlane(box, figure), drawList(box, figure));
}
