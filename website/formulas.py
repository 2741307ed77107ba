"""Formulas are drawn when the site is built: a page shows them without a script and a request.

MathJax (formulas.mjs) makes an SVG of each, with MathML beside it for those who listen. The glyphs
of a page stand in it once.
"""

import functools
import json
import re
import subprocess
from pathlib import Path

from docutils import nodes
from npm import FOLDER, bring
from sphinx.errors import ExtensionError
from sphinx.util.math import get_node_equation_number, wrap_displaymath

HERE = __file__.removesuffix(".py")
GLYPHS = '<svg class="glyphs" width="0" height="0" aria-hidden="true"><defs>{}</defs></svg>'


@functools.cache
def _mathjax():
    bring("mathjax", [], FOLDER)
    command = ["node", f"{HERE}.mjs", FOLDER / "node_modules" / "mathjax"]
    pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    return subprocess.Popen(command, **pipes)


def ask(**question):
    """What formulas.mjs answers: HTML for tex=, display=; drawings for glyphs=; else the style."""
    mathjax = _mathjax()
    mathjax.stdin.write(json.dumps(question) + "\n")
    mathjax.stdin.flush()
    answer = json.loads(mathjax.stdout.readline())
    if "data-mjx-error" in answer:
        raise ExtensionError(f"a formula must be TeX, got {question['tex']!r}")
    return answer


def visit_math(self, node):
    """Write a formula of a line."""
    html = ask(tex=node.astext(), display=False)
    self.body.append(f'<span class="math notranslate">{html}</span>')
    raise nodes.SkipNode


def visit_displaymath(self, node):
    """Write a formula that stands alone."""
    tex = node.astext()
    if not node.get("no-wrap", node.get("nowrap")):
        tex = wrap_displaymath(tex, None, False) if "\\\\" in tex else tex
    html = ask(tex=tex, display=True)
    self.body.append(self.starttag(node, "div", CLASS="math notranslate"))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})</span>')
    self.body.append(f"{html}</div>")
    raise nodes.SkipNode


def add_glyphs(app, pagename, template, context, doctree):
    """Put the drawings of a page's glyphs before its text."""
    glyphs = sorted(set(re.findall(r'href="#(MJX-[^"]+)"', context.get("body", ""))))
    if glyphs:
        context["body"] = GLYPHS.format(ask(glyphs=glyphs)) + context["body"]


def write_style(app):
    """Write MathJax's own style for its drawings beside ours."""
    if app.builder.name == "html":
        target = Path(app.outdir, "_static", "formulas.css")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(ask(), encoding="utf-8")
        app.add_css_file("formulas.css")


def setup(app):
    """Called by Sphinx."""
    app.connect("builder-inited", write_style)
    visitors = [(visit_math, None), (visit_displaymath, None)]
    app.add_html_math_renderer("drawn", *visitors)
    app.connect("html-page-context", add_glyphs)
    return {"parallel_read_safe": True}
