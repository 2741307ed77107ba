"""`make slides`: every chapter as slides that open from disk without network, in build/slides.

Key s opens the speaker's view with the notes. npm brings reveal.js and MathJax once; nothing else
is needed, also not by the live figures. Each slide is shown as large as it fits, within limits.
"""

import pathlib
import sys

import nbformat
from cells import ROOT, chapters, is_note, is_solution, without_fold
from nbconvert import SlidesExporter
from npm import bring

FILES = {  # what lies beside the pages, with the licences
    "reveal.js": ("dist", "plugin/notes", "LICENSE"),
    "mathjax": ("es5/tex-svg-full.js", "LICENSE"),
}
WIDE, HIGH = 1280, 720

# nbconvert's slides, less what they would fetch, and in the sizes that JupyterLab has.
TEMPLATE = """
{%- extends "index.html.j2" -%}
{%- block html_head_js -%}{%- endblock -%}
{%- block html_head_js_mathjax -%}
<script>MathJax = {tex: {inlineMath: [["$", "$"]], processEscapes: true}};</script>
<script src="mathjax/es5/tex-svg-full.js"></script>
{%- endblock -%}
{%- block html_head_css -%}
<style>
:root { --jp-ui-font-size1: 15px; --jp-content-font-size1: 16px; --jp-code-font-size: 15px; }
body { --r-heading-text-transform: none; --r-main-font: sans-serif; --r-heading-font: sans-serif; }
.reveal .slides section { text-align: left; }
.reveal .slides section :is(h1, h2, h3) { font-size: 1.5em; margin: 0 0 .4em; }
.reveal .slides section img { margin: 0; max-height: none; }
</style>
{%- endblock -%}
{%- block footer_js -%}
<script src="reveal.js/dist/reveal.js"></script>
<script src="reveal.js/plugin/notes/notes.js"></script>
<script>
const fit = () => {
  const slide = Reveal.getCurrentSlide();
  for (let zoom = 1.25; zoom > .7; zoom -= .05) {
    slide.style.zoom = zoom;
    if (slide.getBoundingClientRect().height <= HIGH * Reveal.getScale()) break;
  }
  Reveal.layout();
};
for (const event of ["ready", "slidechanged"]) Reveal.on(event, fit);
Reveal.initialize({
  width: WIDE, height: HIGH, margin: 0.02, center: false, hash: true, plugins: [RevealNotes],
}).then(() => MathJax.startup.promise).then(fit);
</script>
{%- endblock -%}
""".replace("HIGH", str(HIGH)).replace("WIDE", str(WIDE))


def slides(target=ROOT / "build" / "slides"):
    """Write the decks, and what they need, into the folder `target`."""
    for package, names in FILES.items():
        bring(package, names, target / package)
    for path in chapters():
        page = deck(nbformat.read(path, as_version=4))
        (target / f"{path.stem}.html").write_text(page, encoding="utf-8")
        print(target / f"{path.stem}.html")


def deck(notebook):
    """The page: no solutions, open notes, and none of the code that a chapter folds away."""
    for cell in notebook.cells:
        if is_solution(cell):  # here nothing unfolds
            cell.metadata.slideshow = {"slide_type": "skip"}
        if is_note(cell):
            cell.source = without_fold(cell)
        if cell.metadata.get("jupyter", {}).get("source_hidden"):
            cell.metadata.transient = {"remove_source": True}
    exporter = SlidesExporter(
        raw_template=TEMPLATE,
        reveal_url_prefix="reveal.js",
        reveal_theme="white",  # its font lies beside it
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )
    return exporter.from_notebook_node(notebook)[0]


if __name__ == "__main__":
    slides(*map(pathlib.Path, sys.argv[1:]))
