"""`make slides`: every chapter as slides that open from disk without network, in build/slides.

Key s opens the speaker's view with the notes. npm brings reveal.js and MathJax once; nothing else
is needed, also not by the live figures. Each slide is shown as large as it fits, within limits.
"""

import re
import shutil
import subprocess
import sys

import nbformat
from nbconvert import SlidesExporter

from notebooks import ROOT, chapters

PACKAGES = ("reveal.js@5.2.1", "mathjax@3.2.2")
FILES = {  # what of them lies beside the pages, with their licences
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
    bring(target)
    for path in chapters():
        page = deck(nbformat.read(path, as_version=4))
        (target / f"{path.stem}.html").write_text(page, encoding="utf-8")
        print(target / f"{path.stem}.html")


def bring(target):
    """Copy the files of reveal.js and MathJax into the folder `target`."""
    if shutil.which("npm") is None:
        sys.exit("make slides needs npm (Node.js) to bring reveal.js and MathJax: install it")
    here = ROOT / "build" / "npm"
    flags = ["--no-save", "--no-audit", "--no-fund", "--silent"]
    if not all((here / "node_modules" / name).exists() for name in FILES):
        subprocess.run(["npm", "install", "--prefix", here, *flags, *PACKAGES], check=True)
    for package, names in FILES.items():
        for name in names:
            source, copy = here / "node_modules" / package / name, target / package / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, copy, dirs_exist_ok=True)
            else:
                shutil.copy(source, copy)


def deck(notebook):
    """The page: no solutions, open notes, and none of the code that a chapter folds away."""
    for cell in notebook.cells:
        if "solution" in cell.metadata.get("tags", []):  # here nothing unfolds
            cell.metadata.slideshow = {"slide_type": "skip"}
        if cell.metadata.get("slideshow", {}).get("slide_type") == "notes":
            cell.source = re.sub(r"</?details>|<summary>.*</summary>", "", cell.source)
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
    slides()
