// Draws formulas with MathJax: a line of JSON in, {tex, display}; a line of JSON out, its HTML.
// A glyph is drawn once and used by its id: {glyphs: [ids]} asks for the drawings of some.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [, , folder] = process.argv;
const MathJax = await createRequire(import.meta.url)(folder).init({
  loader: { load: ["input/tex", "output/svg", "a11y/assistive-mml"] },
  svg: { fontCache: "global" },
});
const { adaptor, output, document } = MathJax.startup;
const answer = (text) => process.stdout.write(JSON.stringify(text) + "\n");

for await (const line of createInterface({ input: process.stdin })) {
  const { tex, display, glyphs } = JSON.parse(line);
  if (glyphs) {
    const wanted = new Set(glyphs);
    const drawn = adaptor.childNodes(output.fontCache.getCache());
    const used = drawn.filter((glyph) => wanted.has(adaptor.getAttribute(glyph, "id")));
    answer(used.map((glyph) => adaptor.outerHTML(glyph)).join(""));
  } else if (tex) {
    answer(adaptor.outerHTML(MathJax.tex2svg(tex, { display })));
  } else {
    answer(adaptor.textContent(output.styleSheet(document)));
  }
}
