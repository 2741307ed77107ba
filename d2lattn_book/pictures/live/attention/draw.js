// The drawing of the microscope: above, the sentence and what it hears; below, every matrix.
import {all} from "../kit/figure.js";
import {WIDE, add, fit, stage} from "../kit/nodes.js";
import {leastOf, drawPanels} from "./panels.js";
import {drawStory} from "./story.js";

export const STYLE = `
.word { fill: currentColor; fill-opacity: .05; stroke: var(--key); stroke-width: 2; }
.asking .word {
  fill: var(--query); fill-opacity: .4; stroke: var(--query); stroke-width: 2.5;
}
`;

export function sizes(data) {
  const least = leastOf(data);
  return [...new Set([340, 500, 680, WIDE].map(width => Math.max(width, least)))];
}

export function draw(live, figure) {
  const {width, data} = figure;
  const base = data.deck ? 130 : 160; // of the bars; the story ends above it, and the panels begin below
  const svg = add(stage(live), "svg", {class: "glides"});
  const story = drawStory(svg, figure, {width, base});
  const panels = drawPanels(svg, figure, {width, base});
  fit(svg, width, panels.bottom + 4);
  return all(story, panels.update);
}
