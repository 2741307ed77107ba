"""Sphinx's settings for the book as an EPUB: tools/ebook.py runs it on what it writes."""

import pathlib
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "website")]

from cells import published  # noqa: E402 (needs the path above)

project = "Attention, a textbook in which every claim runs"
author = "The d2lattn authors"
copyright = f"{author}, MIT licence"
version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
extensions = ["myst_nb", "formulas"]

nb_execution_mode = "off"
nb_merge_streams = True
myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath"]
myst_heading_anchors = 3

html_math_renderer = "drawn"  # as MathML: website/formulas.py
epub_basename = "d2lattn"
epub_title = project
epub_author = author
epub_publisher = author
epub_identifier = published()
epub_scheme = "URL"
epub_show_urls = "no"
epub_use_index = False
epub_tocdepth = 2
epub_exclude_files = ["search.html", ".buildinfo", "_static/searchtools.js"]
epub_css_files = ["ebook.css"]
html_static_path = [str(ROOT / "website" / "ebook.css")]
