"""The drawings of heads: blocks to scale, and the numbers of the layer itself."""

import numpy as np
import pytest
import torch
from artists import boxes, extents, frames, outside, overlapping, points
from matplotlib.colors import to_hex

from d2lattn import Cache, Decoder, LatentAttention, MultiHeadAttention, attention
from d2lattn_book.pictures import drawings, plots
from d2lattn_book.pictures.colours import ROLES

# Heads that share ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("heads", "kv_heads"), [(8, 2), (6, 3), (1, 1)])
def test_an_edge_leads_to_the_head_of_keys_that_a_head_of_queries_reads(heads, kv_heads):
    ax = drawings.shared_heads(heads, kv_heads)
    queries, keys = points(ax, "query heads"), points(ax, "KV heads")
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
    got, _ = layer.attend(query, torch.zeros(1, kv_heads, 1, 2), value)
    return int(got[0, head, 0, 0]) - 1


# One sheet for one answer -------------------------------------------------------------------------

PAIR = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
W_Q, W_K = torch.tensor([[0.0, 1.0], [0.0, 0.0]]), torch.eye(2)
W_V = torch.tensor([[10.0, 0.0]])


def answer(**change):
    given = dict(words=["small", "cat"], x=PAIR, w_q=W_Q, w_k=W_K, w_v=W_V, query=0) | change
    return drawings.single_output(**given)


@pytest.mark.parametrize("query", [0, 2])
def test_the_output_and_the_weights_are_those_of_attention(query):
    generator = torch.Generator().manual_seed(query)
    x, w_q, w_k, w_v = (
        torch.randn(shape, generator=generator) for shape in ((3, 2), (3, 2), (3, 2), (1, 2))
    )
    ax = answer(words=["t0", "t1", "t2"], x=x, w_q=w_q, w_k=w_k, w_v=w_v, query=query)
    asked = (x[query : query + 1] @ w_q.T, x @ w_k.T)
    comes_out = attention(*asked, x @ w_v.T, scale=1.0).item()
    assert f"output = {comes_out:.2g}" in plots.describe(ax).replace("−", "-")
    weights = attention(*asked, torch.eye(3), scale=1.0)[0]
    wholes, bars = frames(ax), boxes(ax)
    drawn = [bar.get_width() / whole.get_width() for bar, whole in zip(bars, wholes, strict=True)]
    assert drawn == pytest.approx(weights.tolist(), abs=1e-5)
    assert [bar.get_xy() for bar in bars] == [whole.get_xy() for whole in wholes]
    assert {to_hex(one.get_edgecolor()) for one in wholes} == {ROLES["weight"]}


# What is kept of a word ---------------------------------------------------------------------------


KINDS = {
    "multi-head": dict(),
    "grouped": dict(num_kv_heads=2),
    "multi-query": dict(num_kv_heads=1),
    "latent": dict(attention=LatentAttention, latent_dim=6, rope_dim=2, positions="rotary"),
}


def test_a_cell_is_a_number_of_the_cache():
    ax = drawings.kept(4, 4, num_kv_heads=2, latent_dim=6, rope_dim=2)
    drawn = {role: sum(areas(ax, role)) for role in ("key", "value")}
    numbers = {
        name: Cache(Decoder(9, 16, num_layers=1, num_heads=4, **options)).bytes_per_token // 4
        for name, options in KINDS.items()
    }
    assert sum(drawn.values()) == pytest.approx(sum(numbers.values()))
    assert drawn["key"] - drawn["value"] == pytest.approx(2)  # the RoPE key is no value
    said = ", ".join(f"{name}, {count} numbers" for name, count in numbers.items())
    assert plots.describe(ax).startswith(said)


@pytest.mark.parametrize(
    "sizes", [(1, 16, 1, 1, 1), (8, 16, 2, 32, 16), (16, 2, 16, 1, 16)]
)  # fmt: skip
def test_no_number_of_what_is_kept_stands_over_another_or_over_a_head(sizes):
    names = ("num_heads", "head_dim", "num_kv_heads", "latent_dim", "rope_dim")
    ax = drawings.kept(**dict(zip(names, sizes, strict=True)))
    assert overlapping(ax) == outside(ax) == []
    heads = ax.transData.transform(points(ax, "query heads"))
    covered = [
        text for text, box in extents(ax) if any(box.padded(4).contains(*at) for at in heads)
    ]
    assert covered == []


def areas(ax, role):
    return [box.get_width() * box.get_height() for box in boxes(ax, role)]
