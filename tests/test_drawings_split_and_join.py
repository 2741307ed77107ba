"""The drawing of split and join: blocks to scale, the shares that were given, one head followed."""

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import pytest
import torch
from matplotlib.colors import to_hex

from d2lattn.pictures.colours import ROLES
from d2lattn.pictures.drawings import split_and_join
from d2lattn.pictures.plots import describe

WORDS = ["the", "bat", "found", "the", "milk"]
SHARES = torch.softmax(torch.randn(3, 5, 5, generator=torch.Generator().manual_seed(0)), -1).tril()
SHARES /= SHARES.sum(-1, keepdim=True)
PALE = 0.25


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def filled(ax, role):
    """(x, y, width, height, alpha) of every patch of a role's colour."""
    return [
        (*patch.get_xy(), patch.get_width(), patch.get_height(), patch.get_alpha())
        for patch in ax.patches
        if patch.get_fill() and to_hex(patch.get_facecolor()) == ROLES[role]
    ]


def test_every_head_is_a_slice_of_the_projection_and_again_a_block():
    ax = split_and_join(WORDS, SHARES, head_dim=4)
    for role in ("query", "key", "value"):
        blocks = filled(ax, role)
        assert [block[2:4] for block in blocks] == [(4, 5)] * 6  # 3 slices, then 3 heads
        slices, heads = blocks[:3], blocks[3:]
        assert [s[0] - slices[0][0] for s in slices] == [0, 4, 8]  # side by side
        assert len({s[1] for s in slices}) == 1
        assert len({h[0] for h in heads}) == 1  # one below the other
        assert heads[0][1] > heads[1][1] > heads[2][1]
    brought = [block[2:4] for block in filled(ax, "output")]
    assert brought == [(4, 5)] * 6 + [(12, 5)]  # each head's, side by side, mixed


@pytest.mark.parametrize("head", [0, 2])
def test_one_head_is_in_full_colour(head):
    ax = split_and_join(WORDS, SHARES, head_dim=4, head=head)
    pale = [1 if h == head else PALE for h in range(3)]
    for role in ("query", "key", "value"):
        assert [block[4] for block in filled(ax, role)] == pale * 2
    assert [block[4] for block in filled(ax, "output")] == [*pale * 2, 1]


def test_the_maps_hold_the_shares_row_0_on_top():
    ax = split_and_join(WORDS, SHARES, head_dim=2, head=1)
    cells = filled(ax, "weight")
    assert len(cells) == SHARES.count_nonzero() == 45
    assert cells[0][4] == pytest.approx(PALE**0.5 * SHARES[0, 0, 0].item())
    cells = cells[15:30]  # of the head that is followed
    left, top = min(c[0] for c in cells), max(c[1] for c in cells)
    drawn = {(round(top - y), round(x - left)): alpha for x, y, *_, alpha in cells}
    for (i, j), alpha in drawn.items():
        assert alpha == pytest.approx(SHARES[1, i, j].item())


def test_the_frame_follows_one_token():
    for query, row in ((-1, 0), (0, 4)):
        ax = split_and_join(WORDS, SHARES, head_dim=4, query=query)
        frames = [p for p in ax.patches if not p.get_fill() and p.get_height() == 1]
        output = [block for block in filled(ax, "output") if block[2] == 12]
        assert frames[-1].get_width() in (4, 12)
        assert any(f.get_xy() == (output[0][0], output[0][1] + row) for f in frames)
        bold = [t.get_text() for t in ax.texts if t.get_weight() == "bold"]
        assert bold[0] == WORDS[query]


def test_shapes_and_edges_are_written():
    ax = split_and_join(WORDS, SHARES, head_dim=4)
    said = " ".join(text.get_text() for text in ax.texts)
    for shape in (
        "W_q",
        "W_k",
        "W_v",
        "W_o",
        "(5, 12) = (5, 3, 4)",
        "(3, 5, 4)",
        "(3, 5, 5)",
        "(5, 3, 4) = (5, 12)",
    ):
        assert shape in said
    assert describe(ax) == "project: 3 edges; split: 9 edges; join: 3 edges; mix: 1 edges"
    four = split_and_join(WORDS[:2], torch.full((4, 2, 2), 0.5), head_dim=1)
    assert describe(four) == "project: 3 edges; split: 12 edges; join: 4 edges; mix: 1 edges"


def test_every_head_stands_in_a_frame_of_its_own_and_edges_lead_from_frame_to_frame():
    ax = split_and_join(WORDS, SHARES, head_dim=4)
    frames = [p for p in ax.patches if p.get_zorder() == 0]
    assert len(frames) == 3
    split, join = (c.get_segments() for c in ax.collections if c.get_label() in ("split", "join"))
    for h, frame in enumerate(frames):
        (x, y), width, height = frame.get_xy(), frame.get_width(), frame.get_height()
        inside = [block for block in filled(ax, "key")[3:] if y < block[1] < y + height]
        assert len(inside) == 1 and x < inside[0][0] < x + width
        for edge in split[h::3]:
            assert edge[1][0] == pytest.approx(x) and y < edge[1][1] < y + height
        assert join[h][0][0] == pytest.approx(x + width) and y < join[h][0][1] < y + height


def test_it_draws_where_it_is_told():
    _, (left, right) = plt.subplots(1, 2)
    assert split_and_join(WORDS, SHARES, head_dim=4, ax=right) is right
    assert not left.patches
