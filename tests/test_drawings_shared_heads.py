"""Grouped queries, drawn: every edge leads to the head of keys that the layer reads."""

import matplotlib as mpl
import numpy as np
import pytest
import torch

from d2lattn import MultiHeadAttention
from d2lattn.pictures import drawings, plots
from d2lattn.pictures.colours import ROLES

mpl.use("Agg")


@pytest.mark.parametrize(("heads", "kv_heads"), [(8, 8), (8, 2), (6, 3), (8, 1), (1, 1)])
def test_an_edge_leads_to_the_head_of_keys_that_a_head_of_queries_reads(heads, kv_heads):
    ax = drawings.shared_heads(heads, kv_heads)
    queries, keys = (points.get_offsets() for points in ax.collections)
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


def test_it_is_described_and_coloured_by_role():
    _, ax = mpl.pyplot.subplots()
    assert drawings.shared_heads(4, 2, ax=ax) is ax
    colours = [mpl.colors.to_hex(points.get_facecolor()[0]) for points in ax.collections]
    assert colours == [ROLES["query"], ROLES["key"]]
    said = "heads of keys and values: 2: heads of queries: 4 points, x 0 to 3, y 1 to 1; "
    assert plots.describe(ax) == said + "of keys, values: 2 points, x 0.5 to 2.5, y 0 to 0"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((8, 3), "^num_kv_heads must divide num_heads, got 3 and 8$"),
        ((2, 4), "^num_kv_heads must divide num_heads, got 4 and 2$"),
        ((0, 1), "^num_heads must "),
        ((8, 0), "^num_kv_heads must "),
        ((8, 2.0), "^num_kv_heads must "),
    ],
)
def test_bad_input_is_refused_by_name(arguments, said):
    with pytest.raises(ValueError, match=said):
        drawings.shared_heads(*arguments)
