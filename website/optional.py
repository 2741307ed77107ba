"""Going further is folded: its heading stays, one click opens what follows."""

from cells import FURTHER
from docutils import nodes

FOLD = '<details class="beyond"><summary>Beyond the core: show</summary>'


def fold(app, doctree, docname):
    """Fold what stands under that heading."""
    for section in list(doctree.findall(nodes.section)):
        at = section.first_child_matching_class(nodes.title)
        if at is not None and section[at].astext() == FURTHER:
            title, rest = section.children[: at + 1], section.children[at + 1 :]
            opening, closing = nodes.raw("", FOLD, format="html"), nodes.raw("", "</details>")
            closing["format"] = "html"
            section.children = [*title]
            section.extend([opening, *rest, closing])


def setup(app):
    """Called by Sphinx; only pages fold, a book that is printed shows all."""
    app.connect("doctree-resolved", fold)
    return {"parallel_read_safe": True}
