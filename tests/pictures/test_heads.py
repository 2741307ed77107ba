"""The drawings of projections and heads: blocks to scale, and the numbers of the layer itself."""

import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex
from seen import boxes, edges, faces, frames, looks, points, strings, written

from d2lattn import Cache, Decoder, MultiHeadAttention, attention
from d2lattn.pictures import drawings, plots
from d2lattn.pictures.colours import ROLES
from d2lattn.pictures.drawings import split_and_join

# Three matrices -----------------------------------------------------------------------------------


def test_the_boxes_have_the_shapes_of_the_matrices():
    ax = drawings.projections(3, 5, 7)
    for role, out in (("query", 5), ("key", 5), ("value", 7)):
        matrix, vector = boxes(ax, role)
        assert (matrix.get_height(), matrix.get_width()) == pytest.approx((out / 7, 3 / 7))
        assert vector.get_height() == pytest.approx(out / 7)
    tokens = [box for box in boxes(ax) if to_hex(box.get_facecolor()) not in ROLES.values()]
    assert [token.get_height() for token in tokens] == pytest.approx([3 / 7] * 3)
    assert len({token.get_facecolor() for token in tokens}) == 1
    assert "The words W_q 5 × 3, ·, x 3, " in plots.describe(ax)


# Heads that share ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("heads", "kv_heads"), [(8, 8), (8, 2), (6, 3), (8, 1), (1, 1)])
def test_an_edge_leads_to_the_head_of_keys_that_a_head_of_queries_reads(heads, kv_heads):
    ax = drawings.shared_heads(heads, kv_heads)
    queries, keys = points(ax, "heads of queries"), points(ax, "of keys, values")
    assert len(queries) == len(ax.lines) == heads and len(keys) == kv_heads
    ends = np.array([line.get_xydata() for line in ax.lines])  # (heads, 2, 2)
    assert np.array_equal(ends[:, 0], queries)
    drawn = np.argmin(np.abs(ends[:, 1, :1] - keys[:, 0]), 1)
    assert np.allclose(keys[drawn], ends[:, 1])
    assert drawn.tolist() == [read_by(head, heads, kv_heads) for head in range(heads)]


def read_by(head, heads, kv_heads):
    """The head of values on which this head's part of the layer's output depends."""
    layer = MultiHeadAttention(2 * heads, heads, num_kv_heads=kv_heads).eval()
    query = torch.zeros(1, heads, 1, 2)
    value = torch.arange(1.0, kv_heads + 1).view(1, kv_heads, 1, 1).expand(1, kv_heads, 1, 2)
    got = layer.attend(query, torch.zeros(1, kv_heads, 1, 2), value)
    return int(got[0, head, 0, 0]) - 1


def test_shared_heads_are_described_and_coloured_by_role():
    ax = drawings.shared_heads(4, 2)
    assert faces(ax, "heads of queries") == [ROLES["query"]]
    assert faces(ax, "of keys, values") == [ROLES["key"]]
    said = "heads of keys and values: 2: heads of queries: 4 points, x from 0 to 3, y 1; "
    assert plots.describe(ax) == said + "of keys, values: 2 points, x from 0.5 to 2.5, y 0."


# One sheet for one answer -------------------------------------------------------------------------

PAIR = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
W_Q, W_K = torch.tensor([[0.0, 1.0], [0.0, 0.0]]), torch.eye(2)
W_V = torch.tensor([[10.0, 0.0]])


def answer(**change):
    given = dict(words=["small", "cat"], x=PAIR, w_q=W_Q, w_k=W_K, w_v=W_V, query=0) | change
    return drawings.one_answer(**given)


def test_the_numbers_of_the_book():
    assert plots.describe(answer()) == (
        "q = (1, 0), q · k = 0, share 0.27, 0.27 · 0 = 0, q · k = 1, share 0.73, "
        "0.73 · 10 = 7.3, y = 7.3, what comes out."
    )
    assert plots.describe(answer(query=1)).endswith("0.5 · 10 = 5, y = 5, what comes out.")


@pytest.mark.parametrize("query", [0, 2])
def test_the_answer_and_the_shares_are_those_of_attention(query):
    generator = torch.Generator().manual_seed(query)
    x, w_q, w_k, w_v = (
        torch.randn(shape, generator=generator) for shape in ((3, 2), (3, 2), (3, 2), (1, 2))
    )
    ax = answer(words=["t0", "t1", "t2"], x=x, w_q=w_q, w_k=w_k, w_v=w_v, query=query)
    asked = (x[query : query + 1] @ w_q.T, x @ w_k.T)
    comes_out = attention(*asked, x @ w_v.T, scale=1.0).item()
    assert f"y = {comes_out:.2g}, what comes out" in plots.describe(ax).replace("−", "-")
    shares = attention(*asked, torch.eye(3), scale=1.0)[0]
    wholes, bars = frames(ax), boxes(ax)
    drawn = [bar.get_width() / whole.get_width() for bar, whole in zip(bars, wholes, strict=True)]
    assert drawn == pytest.approx(shares.tolist(), abs=1e-5)
    assert [bar.get_xy() for bar in bars] == [whole.get_xy() for whole in wholes]
    assert {to_hex(one.get_edgecolor()) for one in wholes} == {ROLES["weight"]}


def test_every_box_has_the_colour_of_its_role():
    ax = answer()
    begins = {"q": "query", "k": "key", "v": "value", "0": "value", "y": "output"}
    found = {name: edge for name, (_, edge, _) in looks(ax).items() if name[0] in begins}
    assert found == {name: ROLES[begins[name[0]]] for name in found}
    assert found.keys() >= {"q = (1, 0)", "k = (0, 1)", "v = 10", "y = 7.3, what comes out"}


def test_large_scores_and_numbers_without_a_sign():
    said = plots.describe(answer(x=1000 * PAIR, w_v=-W_V)).replace("−", "-")
    assert "share 0, 0 · 0 = 0," in said and "1 · -10000 = -10000, y = -10000" in said


# Split and join -----------------------------------------------------------------------------------

WORDS = ["the", "bat", "found", "the", "milk"]
SHARES = torch.softmax(torch.randn(3, 5, 5, generator=torch.Generator().manual_seed(0)), -1).tril()
SHARES /= SHARES.sum(-1, keepdim=True)
PALE = 0.45


def blocks(ax, role):
    """(x, y, width, height, alpha) of every block of a role's colour."""
    found = boxes(ax, role)
    return [(*box.get_xy(), box.get_width(), box.get_height(), box.get_alpha()) for box in found]


def test_every_head_is_a_slice_of_the_projection_and_again_a_block():
    ax = split_and_join(WORDS, SHARES, head_dim=4)
    for role in ("query", "key", "value"):
        found = blocks(ax, role)
        assert [block[2:4] for block in found] == [(4, 5)] * 6  # 3 slices, then 3 heads
        slices, heads = found[:3], found[3:]
        assert [s[0] - slices[0][0] for s in slices] == [0, 4, 8]  # side by side
        assert len({s[1] for s in slices}) == 1
        assert len({h[0] for h in heads}) == 1  # one below the other
        assert heads[0][1] > heads[1][1] > heads[2][1]
    brought = [block[2:4] for block in blocks(ax, "output")]
    assert brought == [(4, 5)] * 6 + [(12, 5)]  # each head's, side by side, mixed


@pytest.mark.parametrize("head", [0, 2])
def test_one_head_is_in_full_colour(head):
    ax = split_and_join(WORDS, SHARES, head_dim=4, head=head)
    pale = [1 if h == head else PALE for h in range(3)]
    for role in ("query", "key", "value"):
        assert [block[4] for block in blocks(ax, role)] == pale * 2
    assert [block[4] for block in blocks(ax, "output")] == [*pale * 2, 1]


def test_the_maps_hold_the_shares_row_0_on_top():
    ax = split_and_join(WORDS, SHARES, head_dim=2, head=1)
    cells = blocks(ax, "weight")
    assert len(cells) == SHARES.count_nonzero() == 45
    assert cells[0][4] == pytest.approx(PALE**0.5 * SHARES[0, 0, 0].item())
    cells = cells[15:30]  # of the head that is followed
    left, top = min(c[0] for c in cells), max(c[1] for c in cells)
    drawn = {(round(top - y), round(x - left)): alpha for x, y, *_, alpha in cells}
    assert drawn == {at: pytest.approx(SHARES[1][at].item()) for at in drawn}


@pytest.mark.parametrize(("query", "row"), [(-1, 0), (0, 4), ("milk", 0)])
def test_the_frame_follows_one_token(query, row):
    ax = split_and_join(WORDS, SHARES, head_dim=4, query=query)
    followed = [frame for frame in frames(ax) if frame.get_height() == 1]
    ((x, y, *_),) = (block for block in blocks(ax, "output") if block[2] == 12)
    assert any(frame.get_xy() == (x, y + row) and frame.get_width() == 12 for frame in followed)
    bold = [text.get_text() for text in written(ax) if text.get_weight() == "bold"]
    assert bold[0] == WORDS[4 - row]


def test_shapes_and_edges_are_written():
    ax = split_and_join(WORDS, SHARES, head_dim=4)
    shapes = {"(5, 12) → (5, 3, 4)", "(3, 5, 4)", "(3, 5, 5)", "(5, 3, 4) → (5, 12)"}
    assert shapes | {"W_q", "W_k", "W_v", "W_o"} <= set(strings(ax))
    said = "project: 3 edges; split: 3 edges; join: 3 edges; mix: 1 edge."
    assert plots.describe(ax) == said
    four = split_and_join(WORDS[:2], torch.full((4, 2, 2), 0.5), head_dim=1)
    said = "project: 3 edges; split: 4 edges; join: 4 edges; mix: 1 edge."
    assert plots.describe(four) == said


def test_every_head_stands_in_a_frame_of_its_own_and_edges_lead_from_frame_to_frame():
    ax = split_and_join(WORDS, SHARES, head_dim=4)
    grounds = [patch for patch in ax.patches if patch.get_zorder() == 0]
    assert len(grounds) == 3
    split, join = edges(ax, "split"), edges(ax, "join")
    right = max(x + width for x, _, width, *_ in blocks(ax, "query")[:3])
    ((start, _),) = {tuple(edge[0]) for edge in split}
    assert start > right, "one line leads to each head, from behind Q, K and V"
    for h, ground in enumerate(grounds):
        (x, y), width, height = ground.get_xy(), ground.get_width(), ground.get_height()
        inside = [block for block in blocks(ax, "key")[3:] if y < block[1] < y + height]
        assert len(inside) == 1 and x < inside[0][0] < x + width
        assert split[h][1][0] == pytest.approx(x) and y < split[h][1][1] < y + height
        assert join[h][0][0] == pytest.approx(x + width) and y < join[h][0][1] < y + height


# What is kept of a word ---------------------------------------------------------------------------


KINDS = {
    "multi-head": dict(),
    "grouped": dict(num_kv_heads=2),
    "multi-query": dict(num_kv_heads=1),
    "latent": dict(latent_dim=6, rope_dim=2, positions="rotary"),
}


def test_a_cell_is_a_number_of_the_cache():
    ax = drawings.kept(4, 4, num_kv_heads=2, latent_dim=6, rope_dim=2)
    drawn = {role: sum(areas(ax, role)) for role in ("key", "value")}
    numbers = {
        name: Cache(Decoder(9, 16, num_layers=1, num_heads=4, **options)).bytes_per_token // 4
        for name, options in KINDS.items()
    }
    assert sum(drawn.values()) == pytest.approx(sum(numbers.values()))
    assert drawn["key"] - drawn["value"] == pytest.approx(2)  # the turned part is no value
    said = ", ".join(f"{name}, {count} numbers" for name, count in numbers.items())
    assert plots.describe(ax).startswith(said)


def areas(ax, role):
    return [box.get_width() * box.get_height() for box in boxes(ax, role)]


def test_each_head_of_queries_has_one_line_to_what_it_reads():
    ax = drawings.kept(4, 3, num_kv_heads=2, latent_dim=5)
    edges = [line.get_xydata() for line in ax.lines if line.get_label() == "_edge"]
    ends = {edge[1, 0].round(6) for edge in edges}
    middles = {round(box.get_x() + 0.5, 6) for box in boxes(ax, "value") if box.get_width() == 1}
    assert len(edges) == 4 * 4 and len(ends) == 4 + 2 + 1 + 1
    assert middles < ends  # but for the latent, whose cells have two colours
