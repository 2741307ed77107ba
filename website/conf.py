"""Sphinx's settings for the book's website: `make site` runs it on what tools/website.py writes."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from website import MATHJAX, SOURCE, address  # noqa: E402 (needs the path above)

project = "d2lattn"
author = "The d2lattn authors"
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_design",
]
exclude_patterns = ["_extra"]

# The chapters as they are stored: nothing is run, and no widget wants a script from a network.
nb_execution_mode = "off"
nb_ipywidgets_js = {}
nb_merge_streams = True
myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath"]
myst_heading_anchors = 3

# Docstrings are written for a terminal: single backquotes mark code.
default_role = "code"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
napoleon_custom_sections = [("Cost", "returns_style"), "Equivalent to"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"

html_context = {"default_mode": "auto"}
html_theme = "sphinx_book_theme"
html_title = "Attention, a textbook in which every claim runs"
html_baseurl = ""
html_static_path = [str(ROOT / "website" / "book.css"), str(SOURCE / "_static")]
html_css_files = ["book.css"]
html_extra_path = [str(SOURCE / "_extra")]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
mathjax_path = MATHJAX
html_theme_options = {
    "repository_url": address(),
    "use_repository_button": True,
    "use_download_button": False,
    "use_fullscreen_button": False,
    "show_navbar_depth": 1,
    "show_toc_level": 2,
}


def as_plain_text(app, what, name, obj, options, lines):
    """Docstrings are plain text: outside backquotes and examples | and * mean themselves."""
    for i, line in enumerate(lines):
        if line.strip() == "Example:":
            break
        pieces = line.split("`")
        pieces[::2] = [re.sub(r"([*|])", r"\\\1", piece) for piece in pieces[::2]]
        lines[i] = "`".join(pieces)


def setup(app):
    """Called by Sphinx; 400 comes before napoleon, which makes sections of the docstrings."""
    app.connect("autodoc-process-docstring", as_plain_text, priority=400)
