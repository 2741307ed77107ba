"""Two sequences: lines as wide as the shares, from every asking word to every answering one."""

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex

from d2lattn.pictures import drawings, plots
from d2lattn.pictures.colours import ROLES

ASKING, ANSWERING = ["the", "dog"], ["Hund", "der", "hat"]
SHARES = torch.tensor([[0.1, 0.7, 0.2], [0.6, 0.3, 0.1]])


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_the_lines_are_as_wide_as_the_shares():
    ax = drawings.cross_attention(ASKING, ANSWERING, SHARES, query=1)
    by_color = {to_hex(c.get_color()[0]): c for c in ax.collections}
    asked = by_color[ROLES["weight"]]
    assert np.allclose(np.array(asked.get_linewidths()) / 12, SHARES[1])
    starts = {tuple(segment[0]) for segment in asked.get_segments()}
    boxes = {text.get_text(): text for text in ax.texts}
    assert starts == {boxes["dog"].get_position()}
    ends = [tuple(segment[1]) for segment in asked.get_segments()]
    assert ends == [boxes[word].get_position() for word in ANSWERING]
    others = by_color["#d9d9d9"]
    assert np.allclose(np.array(others.get_linewidths()) / 12, SHARES[0])


def test_only_who_asks_is_filled_and_every_answering_word_has_a_key_and_a_value():
    ax = drawings.cross_attention(ASKING, ANSWERING, SHARES, query=0, title="who asks")
    boxes = {text.get_text(): text.get_bbox_patch() for text in ax.texts if text.get_bbox_patch()}
    faces = {word: to_hex(box.get_facecolor()) for word, box in boxes.items()}
    assert faces["the"] == ROLES["query"] and faces["dog"] == faces["Hund"] == "#ffffff"
    texts = [text.get_text() for text in ax.texts]
    assert texts.count("k") == texts.count("v") == 3
    assert ax.get_title() == "who asks"


def test_it_is_described_by_its_numbers():
    said = plots.describe(drawings.cross_attention(ASKING, ANSWERING, SHARES, query=1))
    assert said == "shares of other words: 3 edges; shares of dog, most to Hund 0.60: 3 edges"


def test_a_single_word_may_ask_and_the_ax_is_kept():
    _, ax = plt.subplots()
    assert drawings.cross_attention(["the"], ANSWERING, SHARES[:1], query=0, ax=ax) is ax
    assert plots.describe(ax) == "shares of the, most to der 0.70: 3 edges"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(asking="the dog"), "^asking must be a list of strings, got "),
        (dict(answering=[]), "^answering must hold at least 1 string, got none"),
        (dict(weights=SHARES.T), "^weights must have a row for each of the 2 asking words"),
        (
            dict(weights=2 * SHARES),
            "^weights must be shares, at least 0",
        ),
        (dict(weights=SHARES - 0.2), "^weights must be shares"),
        (dict(weights=SHARES * float("nan")), "^weights must be shares"),
        (dict(weights="shares"), "^weights must hold real numbers, got "),
        (dict(query=2), "^query must be a position from -2 to 1 or a word .*, got 2"),
        (dict(query="cat"), "^query must be a position from -2 to 1 or a word .*, got 'cat'"),
        (dict(ax=1), "^ax must be a matplotlib Axes or None, got "),
    ],
)
def test_bad_input_is_refused(change, message):
    arguments = dict(asking=ASKING, answering=ANSWERING, weights=SHARES, query=1) | change
    with pytest.raises(ValueError, match=message):
        drawings.cross_attention(**arguments)
