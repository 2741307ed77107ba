"""`make live`, at its end: a still picture of each live figure, for where no script runs.

GitHub, nbviewer and mail show of a live figure what stands in front of it, and there the picture
goes, between its sentence and its table, with a link to the page on which it moves. Chromium draws
it from the stored output, without controls, a figure that trains after STEPS steps; nothing is
drawn anew whose data and code are the same.
"""

import base64
import hashlib
import io
import re
from html import escape

import cells
import nbformat
from PIL import Image

WIDE = 960  # pixels: the curves of a training stand beside its maps
STEPS = 500  # of training: what it starts from says little
COLOURS = 128  # of a drawing, the thin red line among them: a third of the bytes
SAID = re.compile(r'<p class="said">.*?</p>', re.DOTALL)
STILL = """<p class="still"><a href="{address}"><img data-of="{key}" width="{width}" \
alt="{said} (It moves on the website.)" style="max-width:100%" \
src="data:image/png;base64,{png}"/></a></p>"""
PAGE = "<!doctype html><html lang=en><body style='margin:0;background:white'>{}"
SENTENCE = (
    "document.querySelector('[data-live]').shadowRoot.querySelector('[aria-live]').textContent"
)
# What a figure says when it stands as it opens, and nothing on its way there.
READY = """() => new Promise(done => {
  const root = document.querySelector('[data-live]').shadowRoot;
  requestAnimationFrame(() => requestAnimationFrame(() => {
    for (const glide of root.getAnimations()) glide.finish();
    done();
  }));
})"""
TRAIN = """async steps => {
  const root = document.querySelector('[data-live]').shadowRoot;
  const ten = [...root.querySelectorAll('button')].find(one => one.textContent === 'ten steps');
  const there = n => [...root.querySelectorAll('.bar *')].some(
    one => one.childElementCount === 0 && one.textContent === `${n} of ${n}`);
  for (let n = 10; n <= steps; n += 10) {
    ten.click();
    while (!there(n)) await new Promise(done => setTimeout(done, 5));
  }
}"""


def trains(html):
    """Whether the live figure of this output learns when it is played."""
    return '{"figure":"train"' in html


def key(html):
    """A hash of what a figure looks like: of its data, and of its code, after which it is named."""
    found = cells.ELEMENT.search(html)
    after = f" {STEPS}" if trains(html) else ""
    return hashlib.sha256(f"{found[1]} {found[2]}{after}".encode()).hexdigest()[:8]


def kept(html):
    """The key of the figure whose picture stands in this output, or None."""
    found = re.search(r'<p class="still">.*?data-of="(\w+)"', html)
    return found and found[1]


def put(html, picture):
    """The output with this picture, in place of one that stands there."""
    html = cells.STILL.sub("", html)
    return SAID.sub(lambda said: said[0] + picture, html, count=1)


def outputs(notebook):
    """Of a notebook's outputs the data of those that are live figures."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if cells.ELEMENT.search(output.get("data", {}).get("text/html", "")):
                yield output.data


def carry(before, after):
    """Give a notebook that was run anew the pictures of the figures that are as they were."""
    known = {kept(data["text/html"]): data["text/html"] for data in before}
    for data in outputs(after):
        if old := known.get(key(data["text/html"])):
            data["text/html"] = put(data["text/html"], cells.STILL.search(old)[0])


def drawn(page, html):
    """The figure as a PNG of few colours, its width, and what it says."""
    page.set_content(PAGE.format(cells.STILL.sub("", html)))
    if trains(html):
        page.evaluate(TRAIN, STEPS)
    page.evaluate(READY)
    shot = page.locator("[data-live]").screenshot()
    picture = Image.open(io.BytesIO(shot)).convert("RGB")
    small = io.BytesIO()
    few = picture.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(small, format="png", optimize=True)
    said = page.evaluate(SENTENCE).strip()
    return {
        "png": base64.b64encode(small.getvalue()).decode(),
        "width": picture.width,
        "said": said,
    }


def main():
    import chromium  # here, for who only keeps what was drawn does without it

    with chromium.opened() as browser:
        page = browser.new_page(viewport={"width": WIDE, "height": 900})
        page.emulate_media(media="print")  # without controls and hints
        for path in cells.book():
            notebook = nbformat.read(path, as_version=4)
            for data in outputs(notebook):
                html, name = data["text/html"], key(data["text/html"])
                if kept(html) == name:
                    continue
                picture = drawn(page, html)
                picture["said"] = escape(picture["said"])
                address = f"{cells.published()}{path.stem}.html"
                data["text/html"] = put(html, STILL.format(address=address, key=name, **picture))
                print(f"{path.name}: {data['text/plain'][:60]}", flush=True)
            nbformat.write(notebook, path)


if __name__ == "__main__":
    main()
