"""Film live figures for the README: images/live.gif and images/train.gif.

Wanted when a figure looks different; what it needs comes with `make test-browser`, and Chromium:

    .venv/bin/python tools/animation.py live train

A headless Chromium opens the figure from disk and does what a hand would do: it plays the question
a thought at a time and drags a number of one word, or it trains two models. What a reader would see
is stored as an animated GIF.
"""

import io
import re
import sys
import tempfile
from pathlib import Path

import chromium
from PIL import Image

from d2lattn_book.language import words
from d2lattn_book.pictures import live

SENTENCE = "the girl swung the bat"
FRAME, WIDTH = 80, 1080  # milliseconds, pixels
HAND = """<div id=hand style="position:fixed;width:18px;height:18px;border-radius:50%;z-index:9;
background:#d0822099;border:2px solid #fff;left:-50px;pointer-events:none"></div>
<script>addEventListener('mousemove', e => {
  hand.style.left = e.clientX - 10 + 'px'; hand.style.top = e.clientY - 10 + 'px';
}, true)</script>"""


STEPS = 500  # that are trained in the film,
TAKES = 36  # and pictures of them that are kept


def microscope():
    names, places = words.places()
    tokens = SENTENCE.split()
    x = (3 * places).round(decimals=1)[[names.index(word) for word in tokens]]
    return live.attention(x, tokens=tokens, scale=1.0, query="bat", parts=())


def playground():
    return live.train(task="copy", compare={"layers": 1})


class Film:
    """Frames of a page, and a hand that moves at a pace an eye can follow."""

    def __init__(self, page):
        self.page, self.frames, self.place = page, [], (600, 40)

    def hold(self, milliseconds):
        for _ in range(max(1, milliseconds // FRAME)):
            self.frames.append(Image.open(io.BytesIO(self.page.screenshot())).convert("RGB"))

    def move(self, x, y, steps=6):
        start = self.place
        for i in range(1, steps + 1):
            self.place = tuple(a + (b - a) * i / steps for a, b in zip(start, (x, y), strict=True))
            self.page.mouse.move(*self.place)
            self.hold(FRAME)

    def click(self, locator):
        box = locator.bounding_box()
        self.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.page.mouse.down()
        self.page.mouse.up()

    def save(self, path):
        colours = self.frames[-1].quantize(96, method=Image.Quantize.MAXCOVERAGE)
        frames = [frame.quantize(palette=colours, dither=0) for frame in self.frames]
        options = dict(duration=FRAME, loop=0, optimize=True)
        frames[0].save(path, save_all=True, append_images=frames[1:], **options)


def main(path, figure, act):
    with chromium.opened() as browser, tempfile.TemporaryDirectory() as folder:
        page = browser.new_page(viewport={"width": WIDTH, "height": 620})
        file = Path(folder) / "page.html"
        file.write_text(f"<!doctype html><meta charset=utf-8>{figure().html}{HAND}", "utf-8")
        page.goto(f"file://{file}")
        page.wait_for_selector("[role=gridcell]")
        height = page.evaluate("document.body.scrollHeight")
        page.set_viewport_size({"width": WIDTH, "height": height + 34})  # what it says may grow
        act(Film(page), page).save(path)


def act(film, page):
    """*bat* asks, a thought at a time; then *swung* turns round and comes back."""

    def cell(name):
        return page.locator(f'[role=gridcell][aria-label^="{name}"]').first

    film.hold(1200)
    film.click(page.get_by_role("button", name="Play one query"))
    film.hold(1600)
    following = page.get_by_role("button", name="next")
    for milliseconds in (3000, 2400, 3000, 2600, 1200):
        film.click(following)
        film.hold(milliseconds)
    box = cell("x of swung, channel 1").bounding_box()
    x, y = box["x"] + 20, box["y"] + 10
    film.move(x, y)
    page.mouse.down()
    film.move(x, y + 160, steps=22)  # down: the number falls
    film.hold(600)
    film.move(x, y, steps=22)
    page.mouse.up()
    film.hold(2000)
    return film


def learn(film, page):
    """Two models learn associative recall, one of them with a single layer."""

    def step():
        found = re.search(r"^Step (\d+)", page.locator("[aria-live]").text_content())
        return int(found[1]) if found else 0

    film.hold(1600)
    film.click(page.get_by_role("button", name="Play"))
    start = len(film.frames)
    while step() < STEPS:
        film.hold(FRAME)
    film.click(page.get_by_role("button", name="Pause"))
    taken = film.frames[start:]
    film.frames[start:] = taken[:: max(1, len(taken) // TAKES)]
    film.hold(3000)
    return film


FILMS = {"live": (microscope, act), "train": (playground, learn)}

if __name__ == "__main__":
    for name in sys.argv[1:] or FILMS:
        main(Path(__file__).resolve().parent.parent / "images" / f"{name}.gif", *FILMS[name])
