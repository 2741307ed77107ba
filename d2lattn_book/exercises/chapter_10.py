"""Exercises of chapter 10: what attention has become since."""

import math

import torch

from d2lattn_book.cards import cache_bytes
from d2lattn_book.exercises.checking import FunctionExercise, ValueExercise, makes, noise

# Masks as functions


def _packed():
    """Rows of documents, with a query on each row and a key in each column."""
    cases = []
    for lengths, width in (((4, 3, 5), 3), ((1, 6), 2), ((7,), 4), ((5, 2, 2, 4), 1)):
        document = torch.arange(len(lengths)).repeat_interleave(torch.tensor(lengths))
        place = torch.arange(sum(lengths))
        cases.append((0, 0, place[:, None], place, document, width))
    cases.append((0, 0, place[5:, None], place[3:], document, 4))  # one block
    return cases


# Three configurations

FULL, NEAR = ["full_attention"], ["sliding_attention"]


def _kept(unit=2**20, bytes_per_number=2, **changes):
    """MiB that the three configurations keep, with a change of some of their fields."""
    glm = dict(num_hidden_layers=78, num_attention_heads=64, kv_lora_rank=512)
    glm |= dict(qk_rope_head_dim=64, index_head_dim=128)
    oss = dict(num_hidden_layers=36, num_attention_heads=64, num_key_value_heads=8, head_dim=64)
    oss |= dict(sliding_window=128, layer_types=18 * (NEAR + FULL))
    e2b = dict(num_hidden_layers=35, num_attention_heads=8, num_key_value_heads=1, head_dim=256)
    e2b |= dict(sliding_window=512, num_kv_shared_layers=20, global_head_dim=512)
    e2b |= dict(layer_types=7 * (4 * NEAR + FULL))
    cards = dict(glm=glm, oss=oss, e2b=e2b)
    cards = [card | changes.get(name, {}) for name, card in cards.items()]
    options = dict(tokens=20_000, bytes_per_number=bytes_per_number)
    return [round(cache_bytes(card, **options).total / unit) for card in cards]


# Latent attention, absorbed


def _latents():
    """Queries (L, d), latents (n, c), and the matrices of keys and values (d, c)."""
    sizes = ((2, 7, 4, 3), (3, 4, 3, 3), (1, 6, 2, 5))  # c below, at and above d
    return [noise((L, d), (n, c), (d, c), (d, c), seed=L) for L, n, d, c in sizes]


# The delta rule


def _words():
    sizes = (4, 3, 3), (6, 4, 2), (5, 2, 3)
    found = [noise((n, d), (n, d), (n, e), (n,), seed=n) for n, d, e in sizes]
    return [(q, k, v, beta.sigmoid()) for q, k, v, beta in found]


# A state with a decay


def _decays():
    """q, k, v and alpha; in the last case alpha**(i - j) overflows above the diagonal."""
    sizes = ((4, 3, 2, 0.5), (6, 2, 4, 0.9), (3, 2, 2, 1.0), (30, 4, 3, 0.01))
    return [(*noise((n, d), (n, d), (n, e), seed=n), alpha) for n, d, e, alpha in sizes]


# A window with sinks


def _windows():
    return [(9, 3, 2), (12, 4, 1), (6, 2, 0), (7, 2, 4), (5, 8, 1)]


# The softmax with one


def _scores():
    """Of usual size, as large as 1000, hidden in part, and hidden in whole rows."""
    large = [[1000.0, 0.0, -1000.0], [-1000.0, -1000.0, -1000.0], [500.0, 1000.0, 1000.0]]
    usual, hidden = noise((2, 5), (4, 3))
    hidden[0, 1] = hidden[2] = -math.inf
    return [(usual,), (torch.tensor([*large, [0.0, -1.0, 2.0]]),), (hidden,)]


# The chapter's solutions; a mistake is an edit of one of them


def my_mask(n, window, sinks):
    t, j = torch.arange(n)[:, None], torch.arange(n)
    near, first = t - j < window, j < sinks
    return (near | first) & (j <= t)


def my_softmax_one(scores):
    largest = scores.amax(dim=-1, keepdim=True).clamp(min=0)  # (L, 1)
    powers = (scores - largest).exp()  # (L, S)
    return powers / ((-largest).exp() + powers.sum(dim=-1, keepdim=True))


def my_delta(q, k, v, beta):
    state, outputs = q.new_zeros(q.shape[1], v.shape[1]), []  # (d, e)
    for query, key, value, b in zip(q, k, v, beta, strict=True):
        error = value - key @ state  # (e,)
        state = state + b * torch.outer(key, error)
        outputs.append(query @ state)
    return torch.stack(outputs)


def my_rule(b, h, q, k, document, width):
    return (k <= q) & (q - k < width) & (document[q] == document[k])


def my_absorbed(q, latents, W_k, W_v):
    absorbed_query = q @ W_k  # (L, c)
    scores = absorbed_query @ latents.T / math.sqrt(q.shape[1])  # (L, n)
    context = scores.softmax(1) @ latents  # (L, c)
    return context @ W_v.T  # (L, d)


def my_decayed(q, k, v, alpha):
    i, j = torch.arange(len(q))[:, None], torch.arange(len(q))
    decay = (alpha ** (i - j).clamp(min=0)).tril()  # (n, n)
    return (q @ k.T * decay) @ v


ABSORB = {
    "The output is right, but you compute keys or values, a tensor {}. Absorb W_k into the query, "
    "and apply W_v to the averaged latent.": makes(lambda q, c, W_k, W_v: (len(c), q.shape[1]))
}
MISTAKES: dict[str, dict] = {
    "10.1": {
        "True and False are swapped: True means *may attend*.": {
            "(near | first) & (j <= t)": "~((near | first) & (j <= t))"
        },
        "A sink in the future is visible. Sinks need j <= t, too.": {
            "(near | first) & (j <= t)": "near & (j <= t) | first"
        },
        "Tokens must attend to themselves: j = t is in the window.": {"j <= t": "j < t"},
        "The future is visible: j <= t is missing.": {" & (j <= t)": ""},
        "Your window is one key too wide. The token itself counts as one of `window`.": {
            "t - j < window": "t - j <= window"
        },
        "Your window is one key too narrow. It holds `window` keys: t − window < j.": {
            "t - j < window": "t - j < window - 1"
        },
        "One sink too many. They are the keys 0 to sinks − 1.": {"j < sinks": "j <= sinks"},
        "The window is missing. Your mask has only the sinks.": {"(near | first)": "first"},
        "A key must be near *or* a sink. You require both.": {"near | first": "near & first"},
        "You counted the sinks in the window. They come in addition to `window` keys.": {
            "< window": "< window - sinks"
        },
    },
    "10.2": {
        "exp overflows for a score of 1000. Subtract the larger of 0 and the largest score.": {
            ".clamp(min=0)": ".clamp(0, 0)"
        },
        "A fully masked row gives NaN: −inf − (−inf). Subtract m = max(0, largest score); the "
        "1 in the denominator becomes exp(−m).": {".clamp(min=0)": ""},
        "You subtracted m from every score, so the 1 in the denominator becomes exp(−m).": {
            "(-largest).exp()": "1"
        },
        "You subtracted the largest score. Subtract m = max(0, largest score); the 1 in the "
        "denominator becomes exp(−m).": {
            ".clamp(min=0)": "",
            "(-largest).exp()": "1",
        },
        "Each row sums to 1. The 1 in the denominator is missing.": {
            "(-largest).exp() + ": "",
            ".clamp(min=0)": "",
        },
        "You normalize columns. Sum over the last axis instead.": {"dim=-1": "dim=0"},
    },
    "10.3": {
        "You add the value, as in linear attention. Add the error v − k @ state.": {
            "value - key @ state": "value"
        },
        "You read the state before the current token is written. Write first, then read.": {
            "outputs.append(query @ state)": "",
            "        error": "        outputs.append(query @ state)\n        error",
        },
        "Use the key, not the query: v − k @ state.": {"key @ state": "query @ state"},
        "Your state is transposed. Rows belong to the key: outer(k, error).": {
            "outer(key, error)": "outer(error, key)"
        },
        "beta is missing. It scales the correction.": {"b * torch": "torch"},
        "Do not divide outputs by √d.": {"query @ state": "query @ state / q.shape[1] ** 0.5"},
    },
    "10.4": {
        "Tokens attend to other documents. Compare document[q] with document[k].": {
            " & (document[q] == document[k])": ""
        },
        "The window is missing. Add q − k < width.": {" & (q - k < width)": ""},
        "Tokens attend to the future. Add k <= q.": {"(k <= q) & ": ""},
        "Your window is one token too wide. The token itself counts as one of `width`.": {
            "q - k < width": "q - k <= width"
        },
        "Your tokens do not attend to themselves. Use k <= q.": {"k <= q": "k < q"},
        "True and False are swapped: True means *may attend*.": {
            "return (": "return ~((",
            "document[k])": "document[k]))",
        },
    },
    "10.5": {
        "W_k needs no transpose: q @ W_k has c numbers.": {"q @ W_k": "q @ W_k.T"},
        "Transpose W_v: a latent is a row of c numbers.": {"context @ W_v.T": "context @ W_v"},
        "You divided by the square root of the latent's width. Use √d, the width of the key.": {
            "math.sqrt(q.shape[1])": "math.sqrt(latents.shape[1])"
        },
        "The scores are unscaled. Divide them by √d.": {" / math.sqrt(q.shape[1])": ""},
        "This is the averaged latent. Multiply it by W_v.T.": {"context @ W_v.T": "context"},
        "You used W_k instead of W_v for the values.": {"W_v.T": "W_k.T"},
        "The softmax is missing. Turn the scores into weights first.": {".softmax(1)": ""},
    },
    "10.6": {
        "You counted all layers of Gemma 4 E2B as full, because its config.json does not say "
        "which layers have the window. Add layer_types.": (
            _kept(e2b=dict(layer_types=35 * FULL, global_head_dim=None))
        ),
        "The full layers of Gemma 4 have a head width of 512. Set global_head_dim, too.": (
            _kept(e2b=dict(global_head_dim=None))
        ),
        "The last 20 layers of E2B have no cache of their own. Keep num_kv_shared_layers.": (
            _kept(e2b=dict(num_kv_shared_layers=0))
        ),
        "The indexer of GLM-5.1 caches a key as well: index_head_dim numbers per token.": (
            _kept(glm=dict(index_head_dim=None))
        ),
        "Half the layers of gpt-oss cache 128 tokens: see layer_types.": (
            _kept(oss=dict(layer_types=36 * FULL))
        ),
        "These are MB of 10^6 bytes. Give MiB of 2**20.": _kept(unit=10**6),
        "You counted 1 byte per number. bfloat16 takes 2.": _kept(bytes_per_number=1),
    },
    "10.7": {
        "Tokens attend to the future. The mask must be 0 where j > i.": {".tril()": ""},
        "Above the diagonal alpha ** (i − j) overflows, and inf times 0 is NaN. Clamp the "
        "exponent, or use tril.": {"(i - j).clamp(min=0)).tril()": "(i - j)) * (j <= i)"},
        "The current token has not faded yet: its factor is alpha ** 0.": {
            "(i - j).clamp(min=0)": "(i - j + 1).clamp(min=0)"
        },
        "The decay is missing. This is plain linear attention.": {
            "alpha ** (i - j).clamp(min=0)": "torch.ones(len(q), len(q))"
        },
        "You swapped queries and keys. Rows are queries: q @ k.T.": {"q @ k.T": "k @ q.T"},
    },
}
EXERCISES = {
    "10.1": FunctionExercise(my_mask, _windows, MISTAKES["10.1"]),
    "10.2": FunctionExercise(my_softmax_one, _scores, MISTAKES["10.2"]),
    "10.3": FunctionExercise(my_delta, _words, MISTAKES["10.3"]),
    "10.4": FunctionExercise(my_rule, _packed, MISTAKES["10.4"]),
    "10.5": FunctionExercise(my_absorbed, _latents, MISTAKES["10.5"], ABSORB),
    "10.6": ValueExercise(_kept, MISTAKES["10.6"], rounded=True),
    "10.7": FunctionExercise(my_decayed, _decays, MISTAKES["10.7"]),
}
