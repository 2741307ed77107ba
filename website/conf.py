"""Sphinx's settings for the book's website: `make site` runs it on what build.py writes."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from cells import address, published  # noqa: E402 (needs the path above)

from website.build import SOURCE  # noqa: E402

project = "d2lattn"
author = "The d2lattn authors"
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "notfound.extension",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_sitemap",
    "sphinxext.opengraph",
    # Ours, beside this file.
    "website.live_assets",
    "website.evidence",
    "website.optional",
    "website.formulas",
    "website.search",
    "website.assets",
]
exclude_patterns = ["_extra"]

# The chapters as they are stored: nothing is run, and no widget wants a script from a network.
nb_execution_mode = "off"
nb_ipywidgets_js = {}
nb_merge_streams = True
myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath"]
myst_heading_anchors = 4

# Docstrings are written for a terminal: single backquotes mark code.
default_role = "code"
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
napoleon_custom_sections = [("Cost", "returns_style"), "Equivalent to"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"
# Axes.set is matplotlib's and written anew for each class, in matplotlib's own dialect.
autodoc_default_options = {"exclude-members": "set"}
viewcode_follow_imported_members = False
# Appendix 92's kernels import it; only Linux has it, and the site is written without.
autodoc_mock_imports = ["triton"]

html_context = {"default_mode": "auto"}
html_theme = "sphinx_book_theme"
html_math_renderer = "drawn"
html_title = "d2lattn: attention from scratch"
html_favicon = str(ROOT / "website" / "favicon.svg")
OWN = ("website/book.css", "website/book.js", "website/search.js", SOURCE / "_static")
html_static_path = [str(ROOT / name) for name in OWN]
html_additional_pages = {"search": "search.html"}
templates_path = ["templates"]
html_css_files = ["book.css"]
html_js_files = ["book.js"]
html_extra_path = [str(SOURCE / "_extra")]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {
    "repository_url": address(),
    "use_repository_button": True,
    "repository_branch": "main",
    "use_download_button": False,
    "use_fullscreen_button": False,
    "show_navbar_depth": 1,
    "show_toc_level": 2,
}

# What others show of a page, and how they find it.
html_baseurl = ogp_site_url = published()
ogp_image = f"{published()}_static/card.png"
ogp_image_alt = "One query: its scores, its attention weights and its output"
ogp_site_name = project
ogp_social_cards = {"enable": False}
sitemap_url_scheme = "{link}"
sitemap_excludes = ["search.html", "genindex.html", "py-modindex.html", "404.html", "_modules/*"]
notfound_urls_prefix = f"/{published().rstrip('/').rpartition('/')[2]}/"

# `make links` asks for the pages of others; our own are tested without a network.
linkcheck_ignore = [r"https?://localhost", re.escape(published()), re.escape(address())]
linkcheck_anchors = False
linkcheck_rate_limit_timeout = 60
user_agent = "Mozilla/5.0 (d2lattn links)"

copybutton_exclude = ".linenos, .gp, .go"
copybutton_selector = "div.cell_input div.highlight pre, div.highlight-python pre"


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
