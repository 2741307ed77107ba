"""Exercises of chapter 4: multi-head attention."""

import torch

from d2lattn_book.exercises.checking import WRITE_YOUR_OWN, FunctionExercise, ValueExercise, noise


def _split_cases():
    return [(x, H) for x, H in zip(noise((2, 5, 12), (3, 4, 10)), (3, 5), strict=True)]


def _multi_head_cases():
    first = noise((2, 5, 12), *[(12, 12)] * 4)
    second = noise((3, 4, 10), *[(10, 10)] * 4)
    return [(*first, 3), (*second, 2)]


def _length_cases():
    return [(torch.tensor([3, 1, 5]), 5), (torch.tensor([2, 4]), 6)]


def _contribution_cases():
    return [noise((2, 3, 5, 4), (12, 12)), noise((3, 2, 4, 5), (10, 10))]


# The chapter's solutions; a mistake is an edit of one of them


def my_split_heads(x, num_heads):
    B, L, E = x.shape
    return x.reshape(B, L, num_heads, E // num_heads).transpose(1, 2)


def my_multi_head(X, Wq, Wk, Wv, Wo, num_heads):
    B, L, E = X.shape
    D = E // num_heads
    Q, K, V = (my_split_heads(X @ W.T, num_heads) for W in (Wq, Wk, Wv))  # (B, H, L, D)
    shares = torch.softmax(Q @ K.mT / D**0.5, dim=-1)  # (B, H, L, L)
    joined = (shares @ V).transpose(1, 2).reshape(B, L, E)
    return joined @ Wo.T


def my_padding_mask(valid_lens, S):
    return torch.arange(S) >= valid_lens[:, None]  # (S,) against (B, 1) -> (B, S)


def my_contributions(heads, Wo):
    _, H, _, D = heads.shape
    per_head = Wo.reshape(-1, H, D).permute(1, 2, 0)  # (E, H, D) -> (H, D, E)
    return heads @ per_head  # (B, H, L, D) @ (H, D, E) -> (B, H, L, E)


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
        my_split_heads,
        _split_cases,
        {
            "reshape without transpose: this cuts the tokens apart, not the channels": {
                "L, num_heads, E // num_heads).transpose(1, 2)": "num_heads, L, -1)"
            },
            "Your heads take every H-th channel. Head h needs the D neighbouring channels from hD "
            "to (h+1)D − 1, so reshape to (B, L, H, D).": {
                "num_heads, E // num_heads).transpose(1, 2)": "-1, num_heads).permute(0, 3, 1, 2)"
            },
            "the transpose is missing: heads stand behind the tokens": {".transpose(1, 2)": ""},
            "the heads come before the batch": {".transpose(1, 2)": ".permute(2, 0, 1, 3)"},
        },
    ),
    "4.3": FunctionExercise(
        my_multi_head,
        _multi_head_cases,
        {
            "the scale is √E, the width of the model: each head divides by √D": {
                "D**0.5": "E**0.5"
            },
            "the scores are divided by D: divide by √D": {"D**0.5": "D"},
            "the scores are not scaled: divide by √D": {" / D**0.5": ""},
            "the scores are multiplied by √D: divide": {"/ D": "* D"},
            "the scale is the root of the number of heads: each head divides by √D": {
                "D**0.5": "num_heads**0.5"
            },
            "the softmax runs over the queries: use the last axis, the keys": {"dim=-1": "dim=-2"},
            "the softmax runs over the heads: use the last axis, the keys": {"dim=-1": "dim=1"},
            "reshape without transpose when the heads are split": {
                "my_split_heads(X @ W.T, num_heads)": "(X @ W.T).reshape(B, num_heads, L, D)"
            },
            "reshape without transpose when the heads are joined": {".transpose(1, 2)": ""},
            "reshape without transpose, twice: split and join": {
                "my_split_heads(X @ W.T, num_heads)": "(X @ W.T).reshape(B, num_heads, L, D)",
                ".transpose(1, 2)": "",
            },
            "You concatenate as if the shape were (H, B, L, D). It is (B, H, L, D): transpose axes "
            "1 and 2 before the reshape.": {
                ".transpose(1, 2)": ".reshape(num_heads, B, L, D).transpose(1, 2)"
            },
            "the weights are not transposed: nn.Linear computes X @ W.T": {
                "X @ W.T": "X @ W",
                "@ Wo.T": "@ Wo",
            },
            **{
                f"{W} is not transposed: nn.Linear computes X @ W.T": {
                    "(Wq, Wk, Wv)": "(Wq, Wk, Wv)".replace(W, f"{W}.T")
                }
                for W in ("Wq", "Wk", "Wv")
            },
            "Wq, Wk and Wv are not transposed: nn.Linear computes X @ W.T": {"X @ W.T": "X @ W"},
            "Wo is not transposed: nn.Linear computes X @ W.T": {"@ Wo.T": "@ Wo"},
            "queries and keys are exchanged": {"Q @ K.mT": "K @ Q.mT"},
            "X is added: a block does that, attention does not": {
                "return joined @ Wo.T": "return X + joined @ Wo.T"
            },
            "this is one head of width E: split the channels first": {
                "D = E // num_heads": "D, num_heads = E, 1"
            },
            "the output projection Wo is missing": {" @ Wo.T": ""},
        },
        WRITE_YOUR_OWN,
    ),
    "4.4": FunctionExercise(
        my_padding_mask,
        _length_cases,
        {
            "the mask is inverted: torch hides where key_padding_mask is True": {">=": "<"},
            "one key too few is hidden: key number valid_len is padding already": {">=": ">"},
            "the axes are (S, B): torch expects (B, S)": {
                "torch.arange(S) >= valid_lens[:, None]": "torch.arange(S)[:, None] >= valid_lens"
            },
        },
    ),
    "4.5": FunctionExercise(
        my_contributions,
        _contribution_cases,
        {
            "the heads are added up already: keep the head axis": {
                "return heads @ per_head": "return (heads @ per_head).sum(dim=1)"
            },
            "head h takes rows of Wo: it meets the columns, because Wo is stored (out, in)": {
                "reshape(-1, H, D).permute(1, 2, 0)": "reshape(H, D, -1)"
            },
            "the columns are dealt out in turn: head h meets D columns in a row": {
                "-1, H, D).permute(1, 2, 0)": "-1, D, H).permute(2, 1, 0)"
            },
        },
    ),
}
