"""Exercises of chapter 4: multi-head attention."""

import torch
from torch import nn

from d2lattn_book import audit
from d2lattn_book.exercises.checking import (
    WRITE_YOUR_OWN,
    FunctionExercise,
    ValueExercise,
    audited,
    noise,
)


def _lookups():
    sizes = ((2, 5, 3, 4), (5, 2, 4, 3), (1, 7, 6, 2))
    return [
        (*noise((L, d), (S, d), (S, e), seed=L), temperature)
        for L, S, d, e in sizes
        for temperature in (0.5, 3.0)
    ]


def _split_cases():
    return [(x, H) for x, H in zip(noise((2, 5, 12), (3, 4, 10)), (3, 5), strict=True)]


def _multi_head_cases():
    first = noise((2, 5, 12), *[(12, 12)] * 4)
    second = noise((3, 4, 10), *[(10, 10)] * 4)
    return [(*first, 3), (*second, 2)]


def ask_about_padding(answer):
    """A report on torch's layer behind the mask that an answer makes."""
    with torch.random.fork_rng(devices=[]):
        layer = nn.MultiheadAttention(12, 3, batch_first=True)

    def behind_the_mask(x, valid_lens=None):
        hidden = None if valid_lens is None else answer(valid_lens, x.shape[1])
        return layer(x, x, x, key_padding_mask=hidden)

    behind_the_mask(*noise((3, 23, 12)), torch.tensor([23, 13, 1]))  # what torch raises is told
    return audit.layer(behind_the_mask, 12, valid_lens=True)


def _half_cases():
    return [(*noise(*[(12, 12)] * 4), 3, [0, 2]), (*noise(*[(10, 10)] * 4), 5, [1, 3, 4])]


def _contribution_cases():
    return [noise((2, 3, 5, 4), (12, 12)), noise((3, 2, 4, 5), (10, 10))]


# The chapter's solutions; a mistake is an edit of one of them


def lookup(query, keys, values, T):
    scores = query @ keys.T / T  # (L, d) @ (d, S) -> (L, S)
    return torch.softmax(scores, dim=-1) @ values  # (L, S) @ (S, e) -> (L, e)


def my_split_heads(x, num_heads):
    B, L, E = x.shape
    return x.reshape(B, L, num_heads, E // num_heads).transpose(1, 2)


def my_multi_head(X, Wq, Wk, Wv, Wo, num_heads):
    B, L, E = X.shape
    D = E // num_heads
    Q, K, V = (my_split_heads(X @ W.T, num_heads) for W in (Wq, Wk, Wv))  # as in 4.3
    weights = torch.softmax(Q @ K.mT / D**0.5, dim=-1)  # (B, H, L, L)
    concatenated = (weights @ V).transpose(1, 2).reshape(B, L, E)
    return concatenated @ Wo.T


def my_contributions(heads, Wo):
    _, H, _, D = heads.shape
    per_head = Wo.reshape(-1, H, D).permute(1, 2, 0)  # (E, H, D) -> (H, D, E)
    return heads @ per_head  # (B, H, L, D) @ (H, D, E) -> (B, H, L, E)


def my_keep_heads(Wq, Wk, Wv, Wo, num_heads, on):
    channels = torch.arange(len(Wq)).reshape(num_heads, -1)  # (H, D): those of each head
    kept = channels[on].flatten()
    return Wq[kept], Wk[kept], Wv[kept], Wo[:, kept]  # three times (E', E), then (E, E')


MISTAKES: dict[str, dict] = {
    "4.1": {
        "You left out the four biases, 768 numbers each.": 4 * 768**2,
        "You left out the output projection. There are four projections.": 3 * 768**2 + 3 * 768,
        "You left out the bias of the output projection.": 4 * 768**2 + 3 * 768,
        "You counted the projections once per head. The 12 heads together have 768 channels.": (
            12 * (4 * 768**2 + 4 * 768)
        ),
        "The 12 heads share the 768 channels: do not multiply by 12. Add the biases.": 48 * 768**2,
        "Each head projects from all 768 channels, not only from 64.": 4 * 12 * 64**2 + 4 * 768,
    },
    "4.2": {
        "Your softmax runs over queries. Use the last axis, the keys.": {"dim=-1": "dim=0"},
        "You multiplied the scores by T. Divide: a low temperature sharpens.": {"/ T": "* T"},
        "T has no effect on your result. Divide the scores by T.": {" / T": ""},
        "You divided the scores by √T. Divide by T.": {"/ T": "/ T**0.5"},
        "You divided by √d. Divide by T instead.": {"/ T": "/ query.shape[-1] ** 0.5"},
        "You also divided by √d. Divide by T alone.": {"/ T": "/ T / query.shape[-1] ** 0.5"},
        "You averaged the keys. Average the values.": {"dim=-1) @ values": "dim=-1) @ keys"},
        "These are attention weights. Multiply by the values.": {"dim=-1) @ values": "dim=-1)"},
    },
    "4.3": {
        "You reshape without a transpose, which splits the tokens. Split the channels.": {
            "L, num_heads, E // num_heads).transpose(1, 2)": "num_heads, L, -1)"
        },
        "Your heads take every H-th channel. Head h needs the D neighbouring channels from hD "
        "to (h+1)D − 1, so reshape to (B, L, H, D).": {
            "num_heads, E // num_heads).transpose(1, 2)": "-1, num_heads).permute(0, 3, 1, 2)"
        },
        "Move the head axis before the token axis: transpose.": {".transpose(1, 2)": ""},
        "Your head axis comes before the batch axis. Put it after.": {
            ".transpose(1, 2)": ".permute(2, 0, 1, 3)"
        },
    },
    "4.4": {
        "You divided by √E, the model's width. Divide by √D.": {"D**0.5": "E**0.5"},
        "You divided the scores by D. Divide by √D.": {"D**0.5": "D"},
        "You did not scale the scores. Divide them by √D.": {" / D**0.5": ""},
        "You multiplied the scores by √D. Divide them.": {"/ D": "* D"},
        "You divided by √(num_heads). Divide by √D.": {"D**0.5": "num_heads**0.5"},
        "Your softmax runs over queries. Use the last axis, the keys.": {"dim=-1": "dim=-2"},
        "Your softmax runs over the heads. Use the last axis, the keys.": {"dim=-1": "dim=1"},
        "To split into heads, reshape to (B, L, H, D), then transpose.": {
            "my_split_heads(X @ W.T, num_heads)": "(X @ W.T).reshape(B, num_heads, L, D)"
        },
        "Before you concatenate the heads, transpose axes 1 and 2.": {".transpose(1, 2)": ""},
        "Transpose axes 1 and 2 when you split into heads, and again when you concatenate.": {
            "my_split_heads(X @ W.T, num_heads)": "(X @ W.T).reshape(B, num_heads, L, D)",
            ".transpose(1, 2)": "",
        },
        "You concatenate as if the shape were (H, B, L, D). It is (B, H, L, D): transpose axes "
        "1 and 2 before the reshape.": {
            ".transpose(1, 2)": ".reshape(num_heads, B, L, D).transpose(1, 2)"
        },
        "You did not transpose the weight matrices: nn.Linear computes X @ W.T": {
            "X @ W.T": "X @ W",
            "@ Wo.T": "@ Wo",
        },
        "Wo is not transposed: nn.Linear computes X @ W.T": {"@ Wo.T": "@ Wo"},
        "You swapped queries and keys.": {"Q @ K.mT": "K @ Q.mT"},
        "The output projection Wo is missing.": {" @ Wo.T": ""},
    },
    "4.6": {
        "You added up the heads. Keep the head axis.": {
            "return heads @ per_head": "return (heads @ per_head).sum(dim=1)"
        },
        "You used rows of Wo. Head h uses columns, because Wo is stored as (out, in).": {
            "reshape(-1, H, D).permute(1, 2, 0)": "reshape(H, D, -1)"
        },
    },
    "4.7": {
        "You took rows of Wo. A head meets columns of Wo, because Wo is stored as (out, in).": {
            "Wo[:, kept]": "Wo[kept]"
        },
        "You sliced columns of Wq, Wk and Wv. Their shape is (out, in): a head owns rows.": {
            "Wq[kept], Wk[kept], Wv[kept]": "Wq[:, kept], Wk[:, kept], Wv[:, kept]"
        },
    },
}
EXERCISES = {
    "4.1": ValueExercise(lambda: 4 * 768**2 + 4 * 768, MISTAKES["4.1"]),
    "4.2": FunctionExercise(lookup, _lookups, MISTAKES["4.2"]),
    "4.3": FunctionExercise(my_split_heads, _split_cases, MISTAKES["4.3"]),
    "4.4": FunctionExercise(my_multi_head, _multi_head_cases, MISTAKES["4.4"], WRITE_YOUR_OWN),
    "4.5": audited(ask_about_padding, lambda _: " torch hides a key where your mask is True."),
    "4.6": FunctionExercise(my_contributions, _contribution_cases, MISTAKES["4.6"]),
    "4.7": FunctionExercise(my_keep_heads, _half_cases, MISTAKES["4.7"]),
}
