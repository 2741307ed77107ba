"""What goes beyond the core is folded: the heading stays, one click opens what follows."""

from cells import is_optional
from docutils import nodes

FOLD = '<details class="beyond"><summary>Beyond the core: show</summary>'


def fold(app, doctree, docname):
    """Fold Going further and what is marked ⊕, up to the next heading of its level."""
    for section in list(doctree.findall(nodes.section)):
        at = section.first_child_matching_class(nodes.title)
        if at is not None and is_optional(section[at].astext()) and not docname.startswith("lec"):
            title, rest = section.children[: at + 1], section.children[at + 1 :]
            opening, closing = nodes.raw("", FOLD, format="html"), nodes.raw("", "</details>")
            closing["format"] = "html"
            section.children = [*title]
            section.extend([opening, *rest, closing])


def setup(app):
    """Called by Sphinx; only pages fold, a book that is printed shows all."""
    app.connect("doctree-resolved", fold)
    return {"parallel_read_safe": True}
