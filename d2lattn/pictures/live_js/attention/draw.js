// The drawing of the microscope: above, the sentence and what it hears; below, every matrix.
import {add, fit, stage} from "../kit/nodes.js";
import {drawPanels} from "./panels.js";
import {drawStory} from "./story.js";

// Where the sentence stands, and how high a line of numbers is: with projections there are three
// matrices more, so all is a little smaller.
const PLAIN = {width: 884, line: 22, base: 168, gap: 116, high: 450};
const PROJECTING = {width: 1028, line: 19, base: 124, gap: 102, high: 488};

export function draw(live, figure, number) {
  const sizes = figure.data.projections ? PROJECTING : PLAIN;
  const svg = add(stage(live), "svg");
  const story = drawStory(svg, figure, sizes);
  const panels = drawPanels(svg, figure, number, sizes);
  fit(svg, sizes.width, panels.bottom + 4, sizes.high);
  return (state, now) => {
    story(state, now);
    panels.update(state, now);
  };
}
