// The drawing of the microscope: above, the sentence and what it hears; below, every matrix.
import {all} from "../kit/figure.js";
import {WIDE, add, fit, stage} from "../kit/nodes.js";
import {leastOf, drawPanels} from "./panels.js";
import {drawStory} from "./story.js";

// How high the story and a line of numbers are: with projections there are three matrices more, so
// all is a little smaller.
const PLAIN = {line: 22, base: 160, gap: 132, high: 450};
const PROJECTING = {line: 19, base: 122, gap: 118, high: 488};

export const STYLE = `
.word { fill: currentColor; fill-opacity: .05; stroke: var(--key); stroke-width: 2; }
.asking .word {
  fill: var(--query); fill-opacity: .4; stroke: var(--query); stroke-width: 2.5;
}
`;

export function sizes(data) {
  const least = leastOf(data);
  const most = data.projections ? 1028 : WIDE;
  return [...new Set([340, 500, 680, most].map(width => Math.max(width, least)))];
}

export function draw(live, figure) {
  const {width} = figure;
  const heights = figure.data.projections ? PROJECTING : PLAIN;
  const room = {...heights, width};
  const svg = add(stage(live), "svg", {class: "glides"});
  const story = drawStory(svg, figure, room);
  const panels = drawPanels(svg, figure, room);
  fit(svg, width, panels.bottom + 4, heights.high);
  return all(story, panels.update);
}
