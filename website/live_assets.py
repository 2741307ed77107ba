"""Live figures on a page: their code stands in a file that pages share.

From disk a browser loads no modules, so it is a plain script.
"""

import hashlib
import re
from pathlib import Path

CODE = re.compile(r'<script type="module">(.*?)</script>', re.S)
STILL = re.compile(r'<p class="still">.*?</p>', re.S)  # which is for where nothing moves


def take_out(app, pagename, template, context, doctree):
    """Take the code of live figures out of a page, and their stills."""

    def code(found):
        name = f"_static/live/{hashlib.sha256(found[1].encode()).hexdigest()[:8]}.js"
        file = Path(app.outdir, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"(()=>{{{found[1]}\n}})();", encoding="utf-8")
        return f'<script defer src="{context["content_root"]}{name}"></script>'

    context["body"] = CODE.sub(code, STILL.sub("", context.get("body", "")))


def setup(app):
    """Called by Sphinx."""
    app.connect("html-page-context", take_out, priority=900)
    return {"parallel_read_safe": True}
