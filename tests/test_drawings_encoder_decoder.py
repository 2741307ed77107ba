"""The drawing of the machine of 2017: what each stack holds, and who asks whom."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch

from d2lattn.pictures import drawings, plots
from d2lattn.pictures.colours import ROLES

mpl.use("Agg")


@pytest.fixture
def ax():
    yield (drawn := drawings.encoder_decoder())
    mpl.pyplot.close(drawn.figure)


def stack(ax, least, most):
    """The texts between two places from left to right, from the bottom to the top."""
    places = [(*t.get_position()[::-1], t.get_text().replace("\n", " ")) for t in ax.texts]
    return [text for y, x, text in sorted(places) if least < x < most and text != "+, norm"]


def test_the_decoder_asks_between_its_own_attention_and_the_mlp(ax):
    reads = ["attention: all words", "MLP"]
    assert stack(ax, -3, -2) == reads
    writes = ["attention: itself and before", "cross-attention", "MLP"]
    assert stack(ax, 5.7, 6) == writes
    said = [text.get_text() for text in ax.texts]
    assert said.count("+, norm") == len(reads + writes) and "a logit for each word" in said
    assert stack(ax, -0.1, 0.1)[-1] == "a vector for each word"
    assert plots.describe(ax) == "encoder, decoder, keys, values, query"


def test_query_key_and_value_arrive_at_cross_attention_each_in_its_colour(ax):
    (place,) = (t.get_position() for t in ax.texts if t.get_text() == "cross-attention")
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    for role, side in (("query", 1), ("key", -1), ("value", -1)):
        (one,) = (arrow for arrow in arrows if to_hex(arrow.get_edgecolor()) == ROLES[role])
        (start, end) = one._posA_posB
        assert np.allclose(end, place, atol=1.5) and abs(end[1] - place[1]) < 0.4
        assert (end[0] - place[0]) * side > 1 and (start[0] - end[0]) * side > 0
        if side < 0:  # keys and values come from the top of the encoder
            (way,) = (line for line in ax.lines if to_hex(line.get_color()) == ROLES[role])
            assert np.allclose((way.get_xdata()[-1], way.get_ydata()[-1]), start)
            (top,) = (t for t in ax.texts if t.get_text() == "a vector for each word")
            assert abs(way.get_ydata()[0] - top.get_position()[1]) < 0.28
