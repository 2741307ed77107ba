"""The online softmax, one number at a time."""

import math

import torch

from d2lattn_book.host import on_the_host
from d2lattn_book.pictures.arrays import Numbers, readable, to_numpy
from d2lattn_book.pictures.page import MOST_TOKENS, Figure, rounded
from d2lattn_book.pictures.tables import plain_table


@on_the_host
def steps(scores: Numbers, values: Numbers) -> Figure:
    """The online softmax, one number at a time: running maximum, sum, rescaling and output.

    m' = max(m, s), l' = l·e^(m−m') + e^(s−m'), o' = o·e^(m−m') + e^(s−m')·v; the output is o/l
    (Milakov and Gimelshein 2018; in attention, Dao et al. 2022). The reader goes forwards and
    backwards and changes scores and values.

    Args:
        scores: (n,) numbers, n up to 12; -inf is a hidden key.
        values: (n,) or (n, d) numbers, d up to 4.

    Raises:
        ValueError: other shapes, more than 12 scores, NaN or +inf.

    Cost:
        About 14 kB in the notebook.

    Example:
        >>> steps([1.0, 3.0], [10.0, 20.0])
        live online softmax: 2 keys; the output is 18.81
    """
    scores = readable("scores", scores, ("scores",), (MOST_TOKENS,), hidden=True)
    values = to_numpy(values, "values")
    values = values[:, None] if values.ndim == 1 else values
    values = readable("values", values, ("scores", "numbers"), (MOST_TOKENS, 4))
    if len(values) != len(scores):
        raise ValueError(f"values must fit the {len(scores)} scores, got {len(values)}")
    weights = torch.softmax(scores, dim=0).nan_to_num()
    output = weights @ values
    line = f"live online softmax: {len(scores)} keys; the output is " + ", ".join(
        f"{number + 0.0:.2f}" for number in output.tolist()
    )
    data = {
        "scores": [None if score == -math.inf else rounded(score) for score in scores.tolist()],
        "values": rounded(values),
    }
    names = [f"key {j + 1}" for j in range(len(scores))]
    columns = ["score", "weight", *(f"value {c + 1}" for c in range(values.shape[1]))]
    table = torch.cat([scores[:, None], weights[:, None], values], dim=1)
    return Figure("steps", line, data, plain_table(line, names, columns, table))
