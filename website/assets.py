"""What a page asks for: one style sheet, one script, pictures with their sizes when they are near.

The theme and its extensions bring a dozen files each; at the end of the build they are joined,
PurgeCSS drops the rules that fit nothing, and pictures become WebP, which loses nothing here.
"""

import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import quote

from cells import published
from docutils import nodes
from npm import FOLDER, bring
from PIL import Image
from sphinx.util.images import get_image_size

ICONS = "@fortawesome/fontawesome-free"
ICON = ".fa-{name} {{ --icon: url('data:image/svg+xml,{svg}'); }}"
UNUSED = """scripts locales vendor sbt-webpack-macros.html webpack-macros.html searchtools.js
language_data.js styles/theme.css styles/*.map"""
FIRST = ["_static/basic.css", "_static/styles/pydata-sphinx-theme.css"]
LAST = ["_static/scripts/bootstrap.js", "_static/scripts/pydata-sphinx-theme.js"]


def give_sizes(app, doctree, docname):
    """Let pictures keep their place before they arrive, and arrive when they are near."""
    for image in doctree.findall(nodes.image):
        path = app.srcdir / image["uri"]
        if "width" not in image:
            image["width"], image["height"] = map(str, get_image_size(path))
        image["loading"] = "lazy"


def note(app, pagename, template, context, doctree):
    """Note which files a page would load, and repair what axe finds in it."""
    names = [file.filename for file in (*context["css_files"], *context["script_files"])]
    app.env.site_files = [str(name) for name in names if name]
    # An empty head of a column names nothing, and what a button shows is its name.
    body = context.get("body", "").replace('<th class="head"><p></p></th>', "<td></td>")
    body = body.replace(' aria-label="Toggle hidden content"', "")
    # A link to the website leads to the page of this copy of it.
    root = context["content_root"].removeprefix("./")
    body = body.replace(f'href="{published()}"', f'href="{root}index.html"')
    context["body"] = body.replace(f'href="{published()}', f'href="{root}')


def _joined(folder, names):
    texts = [(folder / name.partition("?")[0]).read_text(encoding="utf-8") for name in names]
    return "\n;".join(texts) if names[-1].endswith(".js") else "\n".join(texts)


def icons(pages):
    """Style for the icons that stand in the pages, from Font Awesome's drawings."""
    folder = FOLDER / "node_modules" / ICONS / "svgs"
    names = {name for page in pages for name in re.findall(r"\bfa-([a-z-]+)", page)}
    files = [
        folder / kind / f"{name}.svg" for name in sorted(names) for kind in ("solid", "brands")
    ]
    drawings = {file.stem: file.read_text(encoding="utf-8") for file in files if file.exists()}
    return "\n".join(ICON.format(name=n, svg=quote(svg, safe=" /=")) for n, svg in drawings.items())


def _purge(out):
    """Drop the rules of the style sheet that fit no page and no word of a script."""
    bring("purgecss", [], FOLDER)
    command = ["node", FOLDER / "node_modules/purgecss/bin/purgecss.js"]
    looked = ["--content", "**/*.html", "_static/*.js", "_static/live/*.js"]
    style = ["--css", "_static/styles/site.css", "--output", "_static/styles"]
    subprocess.run([*command, *style, *looked], cwd=out, check=True, capture_output=True)


def _to_webp(out):
    """Write the chapters' pictures as lossless WebP, a third of their size as PNG."""
    for path in (out / "_images").glob("*.png"):
        with Image.open(path) as image:
            image.save(path.with_suffix(".webp"), lossless=True, quality=100)
        path.unlink()
    for page in out.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(re.sub(r'(_images/[\w.-]+)\.png"', r'\1.webp"', text), encoding="utf-8")


def join(app, exception):
    """Join what pages load into two files, and drop what nothing asks for."""
    if exception or app.builder.name != "html":
        return
    out = Path(app.outdir)
    bring(ICONS, [], FOLDER)
    pages = [path.read_text(encoding="utf-8") for path in out.rglob("*.html")]
    names = [name.partition("?")[0] for name in app.env.site_files]
    styles = [*FIRST, *(name for name in names if name.endswith(".css"))]
    scripts = [*(name for name in names if name.endswith(".js")), *LAST]
    style = re.sub(r"@font-face\{[^}]*\}|/\*.*?\*/", "", _joined(out, styles), flags=re.S)
    (out / "_static/styles/site.css").write_text(f"{style}\n{icons(pages)}\n", encoding="utf-8")
    (out / "_static/site.js").write_text(_joined(out, scripts), encoding="utf-8")
    _purge(out)
    _to_webp(out)
    for name in (*styles, *scripts):
        (out / name.partition("?")[0]).unlink()
    for pattern in UNUSED.split():
        for path in (out / "_static").glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def setup(app):
    """Called by Sphinx; the files are known late, so this comes after the extensions."""
    app.connect("doctree-resolved", give_sizes)
    app.connect("html-page-context", note, priority=900)
    app.connect("build-finished", join, priority=900)
    return {"parallel_read_safe": True}
