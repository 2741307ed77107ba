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


# Three cards

FULL, NEAR = ["full_attention"], ["sliding_attention"]


def _kept(words=20_000, unit=2**20, bytes_per_number=2, **changes):
    """MiB that the three cards keep, with a change of some of their fields."""
    glm = dict(num_hidden_layers=78, num_attention_heads=64, kv_lora_rank=512)
    glm |= dict(qk_rope_head_dim=64, index_head_dim=128)
    oss = dict(num_hidden_layers=36, num_attention_heads=64, num_key_value_heads=8, head_dim=64)
    oss |= dict(sliding_window=128, layer_types=18 * (NEAR + FULL))
    e2b = dict(num_hidden_layers=35, num_attention_heads=8, num_key_value_heads=1, head_dim=256)
    e2b |= dict(sliding_window=512, num_kv_shared_layers=20, global_head_dim=512)
    e2b |= dict(layer_types=7 * (4 * NEAR + FULL))
    cards = dict(glm=glm, oss=oss, e2b=e2b)
    cards = [card | changes.get(name, {}) for name, card in cards.items()]
    options = dict(words=words, bytes_per_number=bytes_per_number)
    return [round(cache_bytes(card, **options).total / unit) for card in cards]


# Latent attention, folded


def _latents():
    """Queries (L, d), latents (n, c), and the matrices of keys and values (d, c)."""
    sizes = ((2, 7, 4, 3), (3, 4, 3, 3), (1, 6, 2, 5))  # c below, at and above d
    return [noise((L, d), (n, c), (d, c), (d, c), seed=L) for L, n, d, c in sizes]


# The delta rule


def _words():
    generator = torch.Generator().manual_seed(0)
    found = []
    for n, d, e in ((4, 3, 3), (6, 4, 2), (5, 2, 3)):
        q, k = torch.randn(2, n, d, generator=generator)
        v, beta = torch.randn(n, e, generator=generator), torch.rand(n, generator=generator)
        found.append((q, k, v, beta))
    return found


# A window with sinks


def _windows():
    return [(9, 3, 2), (12, 4, 1), (6, 2, 0), (7, 2, 4), (5, 8, 1)]


# The softmax with one


def _scores():
    """Of usual size, as large as 1000, hidden in part, and hidden in whole rows."""
    generator = torch.Generator().manual_seed(0)
    large = [[1000.0, 0.0, -1000.0], [-1000.0, -1000.0, -1000.0], [500.0, 1000.0, 1000.0]]
    hidden = torch.randn(4, 3, generator=generator)
    hidden[0, 1] = hidden[2] = -math.inf
    return [
        (torch.randn(2, 5, generator=generator),),
        (torch.tensor([*large, [0.0, -1.0, 2.0]]),),
        (hidden,),
    ]


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
    folded_query = q @ W_k  # (L, c)
    scores = folded_query @ latents.T / math.sqrt(q.shape[1])  # (L, n)
    blend = scores.softmax(1) @ latents  # (L, c)
    return blend @ W_v.T  # (L, d)


EXERCISES = {
    "10.1": FunctionExercise(
        my_mask,
        _windows,
        {
            "the mask is inverted: True means that the key is seen": {
                "(near | first) & (j <= t)": "~((near | first) & (j <= t))"
            },
            "rows and columns are exchanged: query t is the row, key j the column": {
                "(near | first) & (j <= t)": "((near | first) & (j <= t)).T"
            },
            "a sink in the future is seen: a sink must lie at j <= t, too": {
                "(near | first) & (j <= t)": "near & (j <= t) | first"
            },
            "the window reaches into the future: it needs j <= t": {
                "t - j <": "(t - j).abs() <",
                "(near | first) & (j <= t)": "near | first & (j <= t)",
            },
            "window and sinks reach into the future: both need j <= t": {
                "t - j <": "(t - j).abs() <",
                " & (j <= t)": "",
            },
            "a word does not see itself: j = t belongs to its window": {"j <= t": "j < t"},
            "nothing keeps the future hidden: j <= t is missing": {" & (j <= t)": ""},
            "the window is one key too wide: its `window` keys are counted with the word itself": {
                "t - j < window": "t - j <= window"
            },
            "the window is one key too narrow: t − window < j, so that it holds `window` keys": {
                "t - j < window": "t - j < window - 1"
            },
            "one sink too many: the sinks are the keys 0 to sinks − 1": {"j < sinks": "j <= sinks"},
            "the sinks are missing: the first `sinks` keys are seen from everywhere behind them": {
                "(near | first)": "near"
            },
            "the window is missing: this shows the sinks alone": {"(near | first)": "first"},
            "a key must be near or a sink, not both": {"near | first": "near & first"},
            "the sinks are counted in the window: they come on top of its `window` keys": {
                "< window": "< window - sinks"
            },
        },
    ),
    "10.2": FunctionExercise(
        my_softmax_one,
        _scores,
        {
            "exp overflows for a score of 1000: subtract the larger of 0 and the largest score": {
                ".clamp(min=0)": ".clamp(0, 0)"
            },
            "a row whose keys are all hidden becomes NaN, since -inf is its largest score: "
            "subtract no less than 0": {".clamp(min=0)": ""},
            "the 1 is added after the subtraction, where it counts as exp(largest): add "
            "exp(-largest)": {"(-largest).exp()": "1"},
            "the 1 is added after the largest score was subtracted, so it counts as much as the "
            "largest key: what is subtracted from the scores changes the 1 as well": {
                ".clamp(min=0)": "",
                "(-largest).exp()": "1",
            },
            "each row sums to 1: the 1 in the denominator is missing": {
                "(-largest).exp() + ": "",
                ".clamp(min=0)": "",
            },
            "the columns are divided: each row has its own sum, over the last axis": {
                "dim=-1": "dim=0"
            },
            "a 1 is added for every key: the denominator has one in all": {
                "(-largest).exp() + powers.sum(": "((-largest).exp() + powers).sum("
            },
            "the 1 is added to the quotient: it belongs below the line": {
                "(-largest).exp() + ": "",
                "return powers": "return 1 + powers",
                ".clamp(min=0)": "",
            },
        },
    ),
    "10.3": FunctionExercise(
        my_delta,
        _words,
        {
            "this adds: write the error, the value minus what the key reads": {
                "value - key @ state": "value"
            },
            "the state is read before the word has written: write first": {
                "outputs.append(query @ state)": "",
                "        error": "        outputs.append(query @ state)\n        error",
            },
            "the error is what the query reads: the key asks for what stands under it": {
                "key @ state": "query @ state"
            },
            "this decays: (1 - beta) fades all keys. Only what stands under k is taken out": {
                "value - key @ state": "value",
                "state + b": "(1 - b) * state + b",
            },
            "the state is transposed: its rows belong to the key, outer(k, error)": {
                "outer(key, error)": "outer(error, key)"
            },
            "beta is missing: it says how much of the error is corrected": {"b * torch": "torch"},
            "beta belongs to the whole error, not to the value alone": {
                "value - key": "b * value - key",
                "b * torch": "torch",
            },
            "beta belongs to the whole error, not to what is taken out alone": {
                "value - key": "value - b * key",
                "b * torch": "torch",
            },
            "the sign is turned round: the error is v minus what stands there": {
                "value - key @ state": "key @ state - value"
            },
            "the keys were given length 1: here they are taken as they are": {
                "error = value - key": "key = key / key.norm()\n        error = value - key"
            },
            "divided by √d: nothing is scaled here": {
                "query @ state": "query @ state / q.shape[1] ** 0.5"
            },
            "every word starts from an empty state: carry it along": {
                "        error": "        state = torch.zeros_like(state)\n        error"
            },
        },
    ),
    "10.4": FunctionExercise(
        my_rule,
        _packed,
        {
            "words of other documents are seen": {" & (document[q] == document[k])": ""},
            "the window is missing": {" & (q - k < width)": ""},
            "later words are seen: a word sees none that stands behind it": {"(k <= q) & ": ""},
            "later words are seen: the distance must not be made positive": {
                "(k <= q) & (q - k < width)": "((q - k).abs() < width)"
            },
            "the window is one word too wide: with the word itself it has `width` words": {
                "q - k < width": "q - k <= width"
            },
            "the window is one word too narrow: the word itself is one of `width`": {
                "q - k < width": "q - k + 1 < width"
            },
            "a word must see itself": {"k <= q": "k < q"},
            "these are the first `width` words of the row: the last ones are meant": {
                "q - k < width": "k < width"
            },
            "q and k are exchanged: a word sees those before it": {
                "(k <= q) & (q - k < width)": "(q <= k) & (k - q < width)"
            },
            "all positions are compared here: ask for the documents of q and k, document[q]": {
                "document[q] == document[k]": "document[:, None] == document"
            },
            "True must mean that the word may be seen": {
                "return (": "return ~((",
                "document[k])": "document[k]))",
            },
            "one of two is enough here: a word must be near *and* of the same document": {
                "(q - k < width) & (document[q] == document[k])": (
                    "((q - k < width) | (document[q] == document[k]))"
                )
            },
        },
    ),
    "10.5": FunctionExercise(
        my_absorbed,
        _latents,
        {
            "W_k is transposed: the query is a row of d numbers, so q @ W_k has c": {
                "q @ W_k": "q @ W_k.T"
            },
            "W_v is transposed: a blend is a row of c numbers, so it meets W_v.T": {
                "blend @ W_v.T": "blend @ W_v"
            },
            "W_k and W_v are both transposed: q @ W_k has c numbers, blend @ W_v.T has d": {
                "q @ W_k": "q @ W_k.T",
                "blend @ W_v.T": "blend @ W_v",
            },
            "the scores are divided by the root of the latent's width: the key that is never made "
            "has d numbers": {"math.sqrt(q.shape[1])": "math.sqrt(latents.shape[1])"},
            "the scores are not divided by √d": {" / math.sqrt(q.shape[1])": ""},
            "W_v is missing: this is the blend of the latents": {"blend @ W_v.T": "blend"},
            "W_k stands where W_v belongs: the blend becomes a value": {"W_v.T": "W_k.T"},
            "W_v is applied to the query: it belongs to the blend": {"q @ W_k": "q @ W_v"},
            "the matrices are swapped: W_k folds into the query": {
                "q @ W_k": "q @ W_v",
                "blend @ W_v.T": "blend @ W_k.T",
            },
            "the softmax is over the queries: each row of shares must sum to 1": {
                "softmax(1)": "softmax(0)"
            },
            "there is no softmax: scores become shares first": {".softmax(1)": ""},
        },
        {
            "the output is right, but keys or values are made, a tensor {}: let the query take W_k "
            "along, and blend the latents before W_v": makes(
                lambda q, latents, W_k, W_v: (len(latents), q.shape[1])
            ),
        },
    ),
    "10.6": ValueExercise(
        _kept,
        {
            "Gemma 4 E2B is counted as the most that it can be: its card has a sliding_window and "
            "does not say in which layers, so that all are taken as full. Add layer_types": (
                _kept(e2b=dict(layer_types=35 * FULL, global_head_dim=None))
            ),
            "the full layers of Gemma 4 have heads of 512: global_head_dim is missing, too": (
                _kept(e2b=dict(global_head_dim=None))
            ),
            "all layers of Gemma 4 E2B are counted as windows: one of five is full": (
                _kept(e2b=dict(layer_types=35 * NEAR))
            ),
            "five windows to one full layer is the pattern of E4B and 31B; E2B has four to one": (
                _kept(e2b=dict(layer_types=5 * (5 * NEAR + FULL) + 5 * NEAR))
            ),
            "the last 20 layers of Gemma 4 E2B keep nothing: num_kv_shared_layers must stay": (
                _kept(e2b=dict(num_kv_shared_layers=0))
            ),
            "the layers that share are the last 20, not the only ones that keep": (
                _kept(e2b=dict(num_kv_shared_layers=15))
            ),
            "the indexer of GLM-5.1 keeps a key, too: index_head_dim numbers of each word": (
                _kept(glm=dict(index_head_dim=None))
            ),
            "every other layer of gpt-oss keeps 128 words and no more": (
                _kept(oss=dict(layer_types=36 * FULL))
            ),
            "these are MB, of a million bytes: a MiB has 2**20": _kept(unit=10**6),
            "these are bytes: divide by 2**20": _kept(unit=1),
            "a number in bfloat16 takes 2 bytes": _kept(bytes_per_number=1),
            "a number in bfloat16 takes 2 bytes, not the 4 of float32": _kept(bytes_per_number=4),
            "the cards are asked for 20,000 words, not for 32,768": _kept(words=32_768),
        },
        rounded=True,
    ),
}
