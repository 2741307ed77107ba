"""A mark † is a button: what it rests on comes over the page (tools/evidence.py)."""

from evidence import with_popovers


def show(app, pagename, template, context, doctree):
    """Give a page the tables of its marks."""
    if body := context.get("body"):
        context["body"] = with_popovers(body, context["content_root"])


def setup(app):
    """Called by Sphinx."""
    app.connect("html-page-context", show, priority=800)
    return {"parallel_read_safe": True}
