"""One sheet from the words to one answer: the numbers on it are those of attention."""

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import pytest
import torch
from matplotlib.colors import to_hex, to_rgba
from matplotlib.patches import Rectangle

from d2lattn import attention
from d2lattn.pictures import drawings, plots
from d2lattn.pictures.arrays import number
from d2lattn.pictures.colours import ROLES

WORDS = ["small", "cat"]
PAIR = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
W_Q, W_K = torch.tensor([[0.0, 1.0], [0.0, 0.0]]), torch.eye(2)
W_V = torch.tensor([[10.0, 0.0]])


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def draw(**change):
    arguments = dict(words=WORDS, x=PAIR, w_q=W_Q, w_k=W_K, w_v=W_V, query=0) | change
    return drawings.one_answer(**arguments)


def frames(ax):
    return [patch for patch in ax.patches if isinstance(patch, Rectangle)]


def test_the_numbers_of_the_book():
    assert plots.describe(draw()) == (
        "q = (1, 0), q · k = 0, share 0.27, 0.27 · 0 = 0, q · k = 1, share 0.73, "
        "0.73 · 10 = 7.3, y = 7.3, what comes out"
    )
    assert plots.describe(draw(query=1)).endswith("0.5 · 10 = 5, y = 5, what comes out")


@pytest.mark.parametrize("query", [0, 2])
def test_the_answer_and_the_shares_are_those_of_attention(query):
    generator = torch.Generator().manual_seed(query)
    x, w_q, w_k, w_v = (
        torch.randn(shape, generator=generator) for shape in ((3, 2), (3, 2), (3, 2), (1, 2))
    )
    ax = draw(words=["t0", "t1", "t2"], x=x, w_q=w_q, w_k=w_k, w_v=w_v, query=query)
    asked = (x[query : query + 1] @ w_q.T, x @ w_k.T)
    answer = attention(*asked, x @ w_v.T, scale=1.0).item()
    assert f"y = {number(answer, '.2g')}, what comes out" in plots.describe(ax)
    shares = attention(*asked, torch.eye(3), scale=1.0)[0]
    bars = [box.get_width() / 1.5 for box in frames(ax) if box.get_facecolor()[3] > 0]
    assert bars == pytest.approx(shares.tolist(), abs=1e-5)


def test_every_box_has_the_colour_of_its_role():
    boxes = {text.get_text(): text.get_bbox_patch() for text in draw().texts}
    edges = {name: to_hex(box.get_edgecolor()) for name, box in boxes.items() if box}
    begins = {"q": "query", "k": "key", "v": "value", "0": "value", "y": "output"}
    for name, edge in edges.items():
        if name[0] != "x":
            assert edge == ROLES[begins[name[0]]], name
    assert edges.keys() >= {"q = (1, 0)", "k = (0, 1)", "v = 10", "y = 7.3, what comes out"}


def test_a_share_stands_in_a_frame_that_is_the_whole():
    whole = [box for box in frames(draw()) if box.get_facecolor()[3] == 0]
    assert [box.get_width() for box in whole] == [1.5, 1.5]
    assert {box.get_edgecolor() for box in whole} == {to_rgba(ROLES["weight"])}


def test_large_scores_and_numbers_without_a_sign():
    said = plots.describe(draw(x=1000 * PAIR, w_v=-W_V))
    assert "share 0, 0 · 0 = 0," in said and "1 · −10000 = −10000, y = −10000" in said


def test_the_ax_is_kept_and_has_a_title():
    _, ax = plt.subplots()
    assert draw(ax=ax, title="by hand") is ax
    assert ax.get_title() == "by hand"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(words="small cat"), "^words must be a list of strings, got "),
        (dict(words=[]), "^words must hold at least 1 string, got none"),
        (dict(words=list("abcdefg")), "^words must hold at most 6 strings, got 7"),
        (dict(x=PAIR[:1]), r"^x must have shape \(2, n\), got shape \(1, 2\)"),
        (dict(x=PAIR[0]), r"^x must have shape \(2, n\), got shape \(2,\)"),
        (dict(x="words"), "^x must hold real numbers, got "),
        (dict(x=PAIR / 0), "^x must be finite, got "),
        (dict(x=torch.ones(2, 4)), "^x must have 1 to 3 columns, got 4"),
        (dict(w_q=torch.eye(3)), r"^w_q must have shape \(n, 2\), got shape \(3, 3\)"),
        (dict(w_q=torch.ones(1, 2)), "^w_q and w_k must have as many rows, got 1 and 2"),
        (dict(w_k=torch.ones(4, 2)), "^w_k must have 1 to 3 rows, got 4"),
        (dict(w_v=torch.ones(0, 2)), r"^w_v must have shape \(n, 2\), got shape \(0, 2\)"),
        (dict(query=2), "^query must be a position from -2 to 1 or a word .*, got 2"),
        (dict(query="dog"), "^query must be a position from -2 to 1 or a word .*, got 'dog'"),
        (dict(ax=1), "^ax must be a matplotlib Axes or None, got "),
    ],
)
def test_bad_input_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        draw(**change)
