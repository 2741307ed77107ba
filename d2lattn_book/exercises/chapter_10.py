"""Exercises of chapter 10: what attention has become since."""

import math

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from d2lattn_book.exercises.checking import FunctionExercise

# Masks as functions


def _packed():
    """Rows of documents, with a query on each row and a key in each column."""
    cases = []
    for lengths, width in (((4, 3, 5), 3), ((1, 6), 2), ((7,), 4), ((5, 2, 2, 4), 1)):
        document = torch.arange(len(lengths)).repeat_interleave(torch.tensor(lengths))
        place = torch.arange(sum(lengths))
        cases.append((0, 0, place[:, None], place, document, width))
    return cases


# A card


def _cards():
    full, near, state = "full_attention", "sliding_attention", "linear_attention"
    heads = dict(num_attention_heads=12, num_key_value_heads=3, head_dim=8)
    latent = dict(kv_lora_rank=20, qk_rope_head_dim=6)
    window = dict(sliding_window=10)
    linear = dict(linear_num_value_heads=6, linear_key_head_dim=7, linear_value_head_dim=9)
    cards = (
        heads | dict(layer_types=[full] * 5),
        heads | window | dict(layer_types=[near, near, full] * 2),
        heads | window | dict(layer_types=[near] * 4),
        heads | linear | dict(layer_types=[state, state, state, full]),
        heads | latent | dict(layer_types=[full] * 3),
        heads | latent | linear | dict(layer_types=[state, state, full]),
        heads | linear | dict(layer_types=[state] * 2),
    )
    return [(card, n) for card in cards for n in (1000, 7)]


# Latent attention, folded


def _latents():
    """Queries (L, d), latents (n, c), and the matrices of keys and values (d, c)."""
    generator = torch.Generator().manual_seed(0)
    cases = []
    for length, n, d, c in ((2, 7, 4, 3), (3, 4, 3, 3), (1, 6, 2, 5)):  # c below, at and above d
        sizes = (length, d), (n, c), (d, c), (d, c)
        cases.append(tuple(torch.randn(size, generator=generator) for size in sizes))
    return cases


class _Watch(TorchDispatchMode):
    """Notes the first matrix of a given shape, either way round, that an operation gives."""

    def __init__(self, *shape):
        super().__init__()
        self.shapes, self.seen = (shape, shape[::-1]), None

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(made):
            if torch.is_tensor(tensor) and tuple(tensor.shape[-2:]) in self.shapes:
                self.seen = self.seen or tuple(tensor.shape)
        return made


class _Folding(FunctionExercise):
    """A right output is not enough: keys and values must not be made on the way."""

    def problem(self, answer):
        said = super().problem(answer)
        if said:
            return said
        q, latents, *matrices = self.cases()[0]
        with _Watch(len(latents), q.shape[1]) as watch:
            answer(q, latents, *matrices)
        if watch.seen:
            return (
                f"the output is right, but keys or values are made, a tensor {watch.seen}: let the "
                "query take W_k along, and blend the latents before W_v"
            )
        return None


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


def my_card(config, n):
    word = 2 * config["num_key_value_heads"] * config["head_dim"]
    if "kv_lora_rank" in config:
        word = config["kv_lora_rank"] + config["qk_rope_head_dim"]
    kinds, window = config["layer_types"], min(n, config.get("sliding_window", 0))
    state = config.get("linear_num_value_heads", 0) * config.get("linear_key_head_dim", 0)
    kept = {"full_attention": n * word, "sliding_attention": window * word}
    kept["linear_attention"] = state * config.get("linear_value_head_dim", 0)
    reach = {"full_attention": n, "sliding_attention": window, "linear_attention": 0}
    return 2 * sum(kept[kind] for kind in kinds), max(reach[kind] for kind in kinds)


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
    "10.5": _Folding(
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
    ),
    "10.6": FunctionExercise(
        my_card,
        _cards,
        {
            "heads of queries leave nothing behind: count those of keys": {
                "num_key_value_heads": "num_attention_heads"
            },
            "keys and values are kept: a factor 2 is missing": {"word = 2 * ": "word = "},
            "these are numbers: one in bfloat16 takes 2 bytes": {"return 2 * sum": "return sum"},
            "a latent serves keys and values: it is kept once": {
                'word = config["kv_lora_rank"] + config["qk_rope_head_dim"]': (
                    'word = 2 * (config["kv_lora_rank"] + config["qk_rope_head_dim"])'
                )
            },
            "the rotary part that stands beside the latent is kept, too": {
                ' + config["qk_rope_head_dim"]': ""
            },
            "a model with kv_lora_rank keeps the latent, and no heads of keys": {
                'if "kv_lora_rank" in config': "if False"
            },
            "every layer is counted as one that keeps all words: look at layer_types": {
                "sum(kept[kind] for kind in kinds)": 'len(kinds) * kept["full_attention"]'
            },
            "a layer with a window keeps sliding_window words and not all": {
                '"sliding_attention": window * word': '"sliding_attention": n * word'
            },
            "a text shorter than the window fills only a part of it": {
                "window * word": 'config.get("sliding_window", 0) * word'
            },
            "a state does not grow with the text": {"= state * config": "= n * state * config"},
            "the states are missing": {"= state * config": "= 0 * config"},
            "the bytes are right, the reach is not: one full layer is enough": {
                "max(reach[kind]": "min(reach[kind] or n"
            },
            "the bytes are right, the reach is not: it need not lead back to the first word": {
                "max(reach[kind] for kind in kinds)": "n"
            },
            "the bytes are right, the reach is not: a state looks nothing up": {
                '"linear_attention": 0': '"linear_attention": n'
            },
            "the bytes are right, the reach is not: it is n at most": {
                '"sliding_attention": window, ': (
                    '"sliding_attention": config.get("sliding_window", 0), '
                ),
                "max(reach": "(n if 'full_attention' in kinds else 0) or max(reach",
            },
        },
    ),
}
