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
RED = [int(ROLES["output"][k : k + 2], 16) for k in (1, 3, 5)]


@pytest.mark.parametrize("path", cells.book(), ids=lambda path: path.name[:2])
def test_every_live_figure_has_the_picture_of_its_data_and_its_code(path):
    for data in stills.outputs(nbformat.read(path, as_version=4)):
        html = data["text/html"]
        assert stills.kept(html) == stills.key(html), "run: make live"
        (still,) = cells.STILL.findall(html)
        assert f'<a href="{cells.published()}{path.stem}.html">' in still
        png = base64.b64decode(re.search('base64,([^"]*)"', still)[1])
        picture = Image.open(io.BytesIO(png))
        assert len(png) <= MOST and picture.width == stills.WIDE
        colours = [colour for _, colour in picture.convert("RGB").getcolors()]
        assert len(colours) > 3  # something is drawn
        if "live training" in data["text/plain"]:  # a thin red line, of which the page speaks
            assert min(max(map(abs, map(int.__sub__, one, RED))) for one in colours) < 25
        assert len(re.search(' alt="(.*?)"', still)[1]) > 40  # its sentence


def test_a_refresh_keeps_the_picture_of_what_is_the_same_and_of_nothing_else():
    figure, other = live.steps([1.0, 3.0], [1.0, 2.0]), live.steps([1.0, 3.5], [1.0, 2.0])
    name = stills.key(figure.html)
    still = stills.STILL.format(address="", key=name, width=9, png="aGk=", said="")
    pictured = stills.put(figure.html, still)
    assert pictured.index("said") < pictured.index("still") < pictured.index("<table>")
    assert stills.put(pictured, still) == pictured  # in place of an older one
    for again, kept in ((figure, pictured), (other, other.html)):
        output = new_output("display_data", {"text/html": again.html})
        notebook = new_notebook(cells=[new_code_cell(outputs=[output])])
        stills.carry([{"text/html": pictured}], notebook)
        assert notebook.cells[0].outputs[0].data["text/html"] == kept
