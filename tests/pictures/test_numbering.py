"""Two arrows that turn: what is drawn is what the numbers say."""

import numpy as np
import pytest
import torch

from d2lattn import apply_rotary
from d2lattn_book.pictures import drawings, plots


def tips(ax):
    """The ends of the arrows that have a name, by it."""
    named = [line for line in ax.lines if not line.get_label().startswith("_")]
    return {line.get_label(): line.get_xydata()[-1] for line in named}


@pytest.mark.parametrize(("i", "j"), [(2, 1), (5, 4), (7, 3), (0, 2), (102, 101)])
def test_the_arrows_are_what_rope_makes_of_query_and_key(i, j):
    query, key = (1.0, 0.5), (-0.3, 0.8)
    ax = drawings.turning_arrows(query, key, (i, j))
    turned = [
        apply_rotary(torch.tensor([vector], dtype=torch.float64), offset=position)[0]
        for vector, position in ((query, i), (key, j))
    ]
    drawn = tips(ax)
    assert list(drawn) == [f"query at {i}", f"key at {j}"]
    np.testing.assert_allclose(np.array([*drawn.values()]), torch.stack(turned), atol=1e-12)
    score = (turned[0] @ turned[1]).item()
    assert plots.describe(ax).replace("−", "-").endswith(f"score {score:.2f}.")
