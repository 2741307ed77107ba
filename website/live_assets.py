"""Live figures on a page: their code in a file that pages share, and much data in one that waits.

From disk a browser loads neither modules nor JSON, so both are plain scripts.
"""

import hashlib
import html
import json
import re
from pathlib import Path

CODE = re.compile(r'<script type="module">(.*?)</script>', re.S)
FIGURE = re.compile(r"<(live-[0-9a-f]{8}) data-live='([^']*)'></\1>")
STILL = re.compile(r'<p class="still">.*?</p>', re.S)  # which is for where nothing moves
MUCH = 20_000  # characters; more come when the figure is near


def _write(app, text, name):
    """Write a script into _static/live; returns its place below the root of the site."""
    file = Path(app.outdir, "_static", "live", f"{name}.js")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return f"_static/live/{file.name}"


def _name(text):
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def take_out(app, pagename, template, context, doctree):
    """Take the code of live figures out of a page, the data of those that have much, and stills."""
    root = context["content_root"]

    def code(found):
        place = _write(app, f"(()=>{{{found[1]}\n}})();", _name(found[1]))
        return f'<script defer src="{root}{place}"></script>'

    def data(found):
        kind, escaped = found.groups()
        if len(escaped) < MUCH:
            return found[0]
        name = _name(escaped)
        text = json.dumps(html.unescape(escaped), ensure_ascii=False)
        place = _write(app, f'liveArrived("{name}", {text});\n', name)
        return (
            f'<div class="live-apart" data-figure="{kind}" data-name="{name}" '
            f'data-src="{root}{place}"></div>'
        )

    body = STILL.sub("", context.get("body", ""))
    context["body"] = CODE.sub(code, FIGURE.sub(data, body))


def setup(app):
    """Called by Sphinx."""
    app.connect("html-page-context", take_out, priority=900)
    return {"parallel_read_safe": True}
