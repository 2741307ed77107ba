"""The still pictures of live figures, which stand in the chapters for where no script runs."""

import base64
import io
import re

import cells
import nbformat
import pytest
import stills
from nbformat.v4 import new_code_cell, new_notebook, new_output
from PIL import Image

from d2lattn_book.pictures import live
from d2lattn_book.pictures.colours import ROLES

MOST = 40_000  # bytes of a picture
BOOK = cells.book()


@pytest.mark.parametrize("path", BOOK, ids=lambda path: path.name[:2])
def test_every_live_figure_has_the_picture_of_its_data_and_its_code(path):
    for data in stills.outputs(nbformat.read(path, as_version=4)):
        html = data["text/html"]
        assert stills.kept(html) == stills.key(html), "run: make live"
        assert html.count('<p class="still">') == 1
        assert f'<a href="{cells.published()}{path.stem}.html">' in cells.STILL.search(html)[0]
        code = cells.STILL.search(html)[0].partition("base64,")[2].partition('"')[0]
        png = base64.b64decode(code)
        picture = Image.open(io.BytesIO(png))
        assert len(png) <= MOST and picture.width == stills.WIDE
        colours = [colour for _, colour in picture.convert("RGB").getcolors()]
        assert len(colours) > 3  # something is drawn
        if "live training" in data["text/plain"]:  # a thin red line, of which the page speaks
            red = [int(ROLES["output"][k : k + 2], 16) for k in (1, 3, 5)]
            assert (
                min(max(abs(a - b) for a, b in zip(one, red, strict=True)) for one in colours) < 25
            )
        assert len(re.search(' alt="(.*?)"', cells.STILL.search(html)[0])[1]) > 40  # its sentence


def shown(html):
    return new_notebook(
        cells=[new_code_cell(outputs=[new_output("display_data", {"text/html": html})])]
    )


def pictured(figure):
    name = stills.key(figure.html)
    still = stills.STILL.format(address="", key=name, width=9, png="aGk=", said="")
    return stills.put(figure.html, still)


def test_a_refresh_keeps_the_picture_of_what_is_the_same_and_of_nothing_else():
    figure, other = live.steps([1.0, 3.0], [1.0, 2.0]), live.steps([1.0, 3.5], [1.0, 2.0])
    before = [{"text/html": pictured(figure)}]
    for again, kept in ((figure, True), (other, False)):
        notebook = shown(again.html)
        stills.carry(before, notebook)
        html = notebook.cells[0].outputs[0].data["text/html"]
        assert html == (pictured(figure) if kept else other.html)


def test_a_picture_is_put_behind_the_sentence_and_in_place_of_an_older_one():
    html = pictured(live.steps([1.0, 3.0], [1.0, 2.0]))
    assert html.index("said") < html.index("still") < html.index("<table>")
    assert stills.put(html, '<p class="still">new</p>').count('class="still"') == 1
