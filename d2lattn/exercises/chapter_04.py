"""Exercises of chapter 4: multi-head attention."""

import torch

from d2lattn.exercises.checking import FunctionExercise, ValueExercise


def _split(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def _split_without_transpose(x, num_heads):
    B, L, E = x.shape
    return x.reshape(B, num_heads, L, E // num_heads)


def _join(x):
    return x.transpose(1, 2).flatten(2)


def _multi_head(*, split=_split, join=_join, axis=-1, width=None, weight=lambda W: W.T, last=True):
    """Multi-head attention with one step done in another way."""

    def multi_head(X, Wq, Wk, Wv, Wo, num_heads):
        Q, K, V = (split(X @ weight(W), num_heads) for W in (Wq, Wk, Wv))
        divisor = (width or (lambda E, H: E // H))(X.shape[-1], num_heads) ** 0.5
        joined = join(torch.softmax(Q @ K.mT / divisor, dim=axis) @ V)
        return joined @ weight(Wo) if last else joined

    return multi_head


def _noise(*shapes):
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(*shape, generator=generator) for shape in shapes]


def _split_cases():
    return [(x, H) for x, H in zip(_noise((2, 5, 12), (3, 4, 10)), (3, 5), strict=True)]


def _multi_head_cases():
    first = _noise((2, 5, 12), *[(12, 12)] * 4)
    second = _noise((3, 4, 10), *[(10, 10)] * 4)
    return [(*first, 3), (*second, 2)]


def _length_cases():
    return [(torch.tensor([3, 1, 5]), 5), (torch.tensor([2, 4]), 6)]


def _contribution_cases():
    return [tuple(_noise((2, 3, 5, 4), (12, 12))), tuple(_noise((3, 2, 4, 5), (10, 10)))]


def _contributions(heads, Wo):
    H, D = heads.shape[1], heads.shape[3]
    return heads @ Wo.unflatten(1, (H, D)).permute(1, 2, 0)


EXERCISES = {
    "4.1": ValueExercise(
        lambda: 4 * 768**2 + 4 * 768,
        {
            "the four biases are missing": 4 * 768**2,
            "the output projection is missing: there are four": 3 * 768**2 + 3 * 768,
            "the output projection has a bias too": 4 * 768**2 + 3 * 768,
            "the heads share the width: 12 heads of 64 are 768 channels, not 12 times as many": (
                12 * (4 * 768**2 + 4 * 768)
            ),
            "each head projects from all 768 channels, not from its own 64": 4 * 12 * 64**2
            + 4 * 768,
        },
    ),
    "4.2": FunctionExercise(
        _split,
        _split_cases,
        {
            "reshape without transpose: this cuts the tokens apart, not the channels": (
                _split_without_transpose
            ),
            "the channels are dealt out in turn: head h must hold D channels in a row": (
                lambda x, H: x.unflatten(-1, (-1, H)).permute(0, 3, 1, 2)
            ),
            "the transpose is missing: heads stand behind the tokens": (
                lambda x, H: x.unflatten(-1, (H, -1))
            ),
            "the heads come before the batch": lambda x, H: _split(x, H).transpose(0, 1),
        },
    ),
    "4.3": FunctionExercise(
        _multi_head(),
        _multi_head_cases,
        {
            "the scale is √E, the width of the model: each head divides by √D": (
                _multi_head(width=lambda E, H: E)
            ),
            "the scores are divided by D: divide by √D": (
                _multi_head(width=lambda E, H: (E // H) ** 2)
            ),
            "the scores are not scaled: divide by √D": _multi_head(width=lambda E, H: 1),
            "the softmax runs over the queries: use the last axis, the keys": _multi_head(axis=-2),
            "the softmax runs over the heads: use the last axis, the keys": _multi_head(axis=1),
            "reshape without transpose when the heads are split": (
                _multi_head(split=_split_without_transpose)
            ),
            "reshape without transpose when the heads are joined": _multi_head(
                join=lambda x: x.reshape(x.shape[0], x.shape[2], -1)
            ),
            "reshape without transpose, twice: split and join": _multi_head(
                split=_split_without_transpose,
                join=lambda x: x.reshape(x.shape[0], x.shape[2], -1),
            ),
            "the weights are not transposed: nn.Linear computes X @ W.T": (
                _multi_head(weight=lambda W: W)
            ),
            "the output projection Wo is missing": _multi_head(last=False),
        },
    ),
    "4.4": FunctionExercise(
        lambda valid_lens, S: torch.arange(S) >= valid_lens[:, None],
        _length_cases,
        {
            "the mask is inverted: torch hides where key_padding_mask is True": (
                lambda valid_lens, S: torch.arange(S) < valid_lens[:, None]
            ),
            "one key too few is hidden: key number valid_len is padding already": (
                lambda valid_lens, S: torch.arange(S) > valid_lens[:, None]
            ),
            "the axes are (S, B): torch expects (B, S)": (
                lambda valid_lens, S: torch.arange(S)[:, None] >= valid_lens
            ),
        },
    ),
    "4.5": FunctionExercise(
        _contributions,
        _contribution_cases,
        {
            "the heads are added up already: keep the head axis": (
                lambda heads, Wo: _contributions(heads, Wo).sum(1)
            ),
            "head h takes rows of Wo: it meets the columns, because Wo is stored (out, in)": (
                lambda heads, Wo: heads @ Wo.unflatten(0, heads.shape[1:4:2])
            ),
            "the columns are dealt out in turn: head h meets D columns in a row": (
                lambda heads, Wo: (
                    heads @ Wo.unflatten(1, (heads.shape[3], heads.shape[1])).permute(2, 1, 0)
                )
            ),
        },
    ),
}
