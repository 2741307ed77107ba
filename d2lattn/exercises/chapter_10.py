"""Exercises of chapter 10: what attention has become since."""

import functools
import math

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from d2lattn.attention import attention
from d2lattn.exercises.checking import FunctionExercise

# Masks as functions


def _packed():
    """Rows of documents, with a query on each row and a key in each column."""
    cases = []
    for lengths, width in (((4, 3, 5), 3), ((1, 6), 2), ((7,), 4), ((5, 2, 2, 4), 1)):
        document = torch.arange(len(lengths)).repeat_interleave(torch.tensor(lengths))
        place = torch.arange(sum(lengths))
        cases.append((0, 0, place[:, None], place, document, width))
    return cases


def _rule(b, h, q, k, document, width, *, past=True, inside=True, near=True):
    """Each part may be left out."""
    seen = torch.ones_like(q >= k)
    seen = seen & (k <= q) if past else seen
    seen = seen & (document[q] == document[k]) if inside else seen
    return seen & (q - k < width) if near else seen


def _at_most(b, h, q, k, document, width, *, more):
    return _rule(b, h, q, k, document, width + more)


# A card


def _card(
    config, n, *, heads="num_key_value_heads", both=2, latent=1, rotary=True, bytes_each=2, **other
):
    word = both * config[heads] * config["head_dim"]
    if "kv_lora_rank" in config and latent:
        word = latent * (config["kv_lora_rank"] + rotary * config["qk_rope_head_dim"])
    state = config.get("linear_num_value_heads", 0) * config.get("linear_key_head_dim", 0)
    kept = {
        "full_attention": n * word,
        "sliding_attention": min(n, config.get("sliding_window", 0)) * word,
        "linear_attention": state * config.get("linear_value_head_dim", 0),
    }
    kept |= {kind: instead(config, n, word, kept) for kind, instead in other.items()}
    return bytes_each * sum(kept[kind] for kind in config["layer_types"]), _reach(config, n)


def _reach(config, n):
    if "full_attention" in config["layer_types"]:
        return n
    window = config.get("sliding_window", 0)
    return min(n, window) if "sliding_attention" in config["layer_types"] else 0


def _all_alike(config, n):
    """The bytes as if every layer kept all words."""
    alike = config | {"layer_types": ["full_attention"] * len(config["layer_types"])}
    return _card(alike, n)[0], _reach(config, n)


def _with_reach(reach):
    return lambda config, n: (_card(config, n)[0], reach(config, n))


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


def _absorbed(q, latents, W_k, W_v, *, scale=None):
    scale = q.shape[1] ** -0.5 if scale is None else scale
    return attention(q @ W_k, latents, latents, scale=scale) @ W_v.mT


def _transposed(*, keys=False, values=False):
    """W_k, W_v or both the other way round, which can be multiplied only where they are square."""

    def mistake(q, latents, W_k, W_v):
        return _absorbed(q, latents, W_k.mT if keys else W_k, W_v.mT if values else W_v)

    return mistake


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


def _delta(q, k, v, beta, write=None, reads_first=False, fresh=False):
    """`write` is (state, query, key, value, beta) -> the next state."""
    state, outputs = q.new_zeros(q.shape[1], v.shape[1]), []
    for query, key, value, b in zip(q, k, v, beta, strict=True):
        before = torch.zeros_like(state) if fresh else state
        state = (write or _correct)(before, query, key, value, b)
        outputs.append(query @ (before if reads_first else state))
    return torch.stack(outputs)


def _correct(state, query, key, value, b):
    return state + b * torch.outer(key, value - key @ state)


def _wrong(write):
    """The recurrence with another rule for writing."""
    return functools.partial(_delta, write=write)


# A window with sinks


def _windows():
    return [(9, 3, 2), (12, 4, 1), (6, 2, 0), (7, 2, 4), (5, 8, 1)]


def _seen(n, window, sinks, *, near=lambda t, j, window: t - j < window, past=(True, True)):
    """Key j of query t is seen if it is near or a sink; `past` says which of them asks j <= t."""
    t, j = torch.arange(n)[:, None], torch.arange(n)
    seen = [near(t, j, window).expand(n, n), (j < sinks).expand(n, n)]
    seen = [part & (j <= t) if asks else part for part, asks in zip(seen, past, strict=True)]
    return seen[0] | seen[1]


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


def _largest_or_0(scores, dim=-1):
    return scores.amax(dim, keepdim=True).clamp(min=0)


def _largest(scores, dim=-1):
    return scores.amax(dim, keepdim=True)


def _softmax_one(scores, *, subtract=_largest_or_0, one=lambda m: (-m).exp(), dim=-1):
    """exp(s) / (1 + Σ exp(s)), where `one` is what the 1 becomes when m is subtracted."""
    m = subtract(scores, dim)
    powers = (scores - m).exp()
    return powers / (one(m) + powers.sum(dim, keepdim=True))


EXERCISES = {
    "10.1": FunctionExercise(
        _seen,
        _windows,
        {
            "the mask is inverted: True means that the key is seen": (
                lambda n, window, sinks: ~_seen(n, window, sinks)
            ),
            "rows and columns are exchanged: query t is the row, key j the column": (
                lambda n, window, sinks: _seen(n, window, sinks).T
            ),
            "a sink in the future is seen: a sink must lie at j <= t, too": (
                functools.partial(_seen, past=(True, False))
            ),
            "the window reaches into the future: it needs j <= t": (
                lambda n, window, sinks: _seen(
                    n, window, sinks, near=lambda t, j, window: (t - j).abs() < window, past=(0, 1)
                )
            ),
            "window and sinks reach into the future: both need j <= t": (
                lambda n, window, sinks: _seen(
                    n, window, sinks, near=lambda t, j, window: (t - j).abs() < window, past=(0, 0)
                )
            ),
            "a word does not see itself: j = t belongs to its window": (
                lambda n, window, sinks: _seen(n, window, sinks) & ~torch.eye(n).bool()
            ),
            "nothing keeps the future hidden: j <= t is missing": (
                functools.partial(_seen, past=(False, False))
            ),
            "the window is one key too wide: its `window` keys are counted with the word itself": (
                functools.partial(_seen, near=lambda t, j, window: t - j <= window)
            ),
            "the window is one key too narrow: t − window < j, so that it holds `window` keys": (
                functools.partial(_seen, near=lambda t, j, window: t - j < window - 1)
            ),
            "one sink too many: the sinks are the keys 0 to sinks − 1": (
                lambda n, window, sinks: _seen(n, window, sinks + 1)
            ),
            "the sinks are missing: the first `sinks` keys are seen from everywhere behind them": (
                lambda n, window, sinks: _seen(n, window, 0)
            ),
            "the window is missing: this shows the sinks alone": (
                functools.partial(_seen, near=lambda t, j, window: t < 0)
            ),
            "a key must be near or a sink, not both": (
                lambda n, window, sinks: _seen(n, window, 0) & (torch.arange(n) < sinks)
            ),
            "the sinks are counted in the window: they come on top of its `window` keys": (
                lambda n, window, sinks: _seen(n, max(window - sinks, 0), sinks)
            ),
        },
    ),
    "10.2": FunctionExercise(
        _softmax_one,
        _scores,
        {
            "exp overflows for a score of 1000: subtract the larger of 0 and the largest score": (
                lambda scores: _softmax_one(
                    scores, subtract=lambda s, dim: torch.zeros_like(s[..., :1])
                )
            ),
            "a row whose keys are all hidden becomes NaN, since -inf is its largest score: "
            "subtract no less than 0": lambda scores: _softmax_one(scores, subtract=_largest),
            "the 1 is added after the subtraction, where it counts as exp(largest): add "
            "exp(-largest)": lambda scores: _softmax_one(scores, one=torch.ones_like),
            "the 1 is added after the largest score was subtracted, so it counts as much as the "
            "largest key: what is subtracted from the scores changes the 1 as well": (
                lambda scores: _softmax_one(scores, subtract=_largest, one=torch.ones_like)
            ),
            "each row sums to 1: the 1 in the denominator is missing": (
                lambda scores: scores.softmax(-1)
            ),
            "the columns are divided: each row has its own sum, over the last axis": (
                lambda scores: _softmax_one(scores, dim=0)
            ),
            "a 1 is added for every key: the denominator has one in all": (
                lambda scores: _softmax_one(scores, one=lambda m: scores.shape[-1] * (-m).exp())
            ),
            "the 1 is added to the quotient: it belongs below the line": (
                lambda scores: 1 + scores.softmax(-1)
            ),
        },
    ),
    "10.3": FunctionExercise(
        _delta,
        _words,
        {
            "this adds: write the error, the value minus what the key reads": _wrong(
                lambda S, q, k, v, b: S + b * torch.outer(k, v)
            ),
            "the state is read before the word has written: write first": functools.partial(
                _delta, reads_first=True
            ),
            "the error is what the query reads: the key asks for what stands under it": _wrong(
                lambda S, q, k, v, b: S + b * torch.outer(k, v - q @ S)
            ),
            "this decays: (1 - beta) fades all keys. Only what stands under k is taken out": _wrong(
                lambda S, q, k, v, b: (1 - b) * S + b * torch.outer(k, v)
            ),
            "the state is transposed: its rows belong to the key, outer(k, error)": _wrong(
                lambda S, q, k, v, b: S + b * torch.outer(v - k @ S, k)
            ),
            "beta is missing: it says how much of the error is corrected": _wrong(
                lambda S, q, k, v, b: _correct(S, q, k, v, 1)
            ),
            "beta belongs to the whole error, not to the value alone": _wrong(
                lambda S, q, k, v, b: S + torch.outer(k, b * v - k @ S)
            ),
            "beta belongs to the whole error, not to what is taken out alone": _wrong(
                lambda S, q, k, v, b: S + torch.outer(k, v - b * (k @ S))
            ),
            "the sign is turned round: the error is v minus what stands there": _wrong(
                lambda S, q, k, v, b: S - b * torch.outer(k, v - k @ S)
            ),
            "the keys were given length 1: here they are taken as they are": _wrong(
                lambda S, q, k, v, b: _correct(S, q, k / k.norm(), v, b)
            ),
            "divided by √d: nothing is scaled here": (
                lambda q, k, v, beta: _delta(q, k, v, beta) / math.sqrt(q.shape[1])
            ),
            "every word starts from an empty state: carry it along": functools.partial(
                _delta, fresh=True
            ),
        },
    ),
    "10.4": FunctionExercise(
        _rule,
        _packed,
        {
            "words of other documents are seen": (
                lambda b, h, q, k, document, width: _rule(b, h, q, k, document, width, inside=False)
            ),
            "the window is missing": (
                lambda b, h, q, k, document, width: _rule(b, h, q, k, document, width, near=False)
            ),
            "later words are seen: a word sees none that stands behind it": (
                lambda b, h, q, k, document, width: _rule(b, h, q, k, document, width, past=False)
            ),
            "later words are seen: the distance must not be made positive": (
                lambda b, h, q, k, document, width: (
                    _rule(b, h, q, k, document, width, past=False) & (k - q < width)
                )
            ),
            "the window is one word too wide: with the word itself it has `width` words": (
                lambda b, h, q, k, document, width: _at_most(b, h, q, k, document, width, more=1)
            ),
            "the window is one word too narrow: the word itself is one of `width`": (
                lambda b, h, q, k, document, width: _at_most(b, h, q, k, document, width, more=-1)
            ),
            "a word must see itself": (
                lambda b, h, q, k, document, width: _rule(b, h, q, k, document, width) & (k < q)
            ),
            "these are the first `width` words of the row: the last ones are meant": (
                lambda b, h, q, k, document, width: (
                    _rule(b, h, q, k, document, width, near=False) & (k < width)
                )
            ),
            "True must mean that the word may be seen": (
                lambda b, h, q, k, document, width: ~_rule(b, h, q, k, document, width)
            ),
            "one of two is enough here: a word must be near *and* of the same document": (
                lambda b, h, q, k, document, width: (
                    _rule(b, h, q, k, document, width, near=False)
                    | _rule(b, h, q, k, document, width, inside=False)
                )
            ),
        },
    ),
    "10.5": _Folding(
        _absorbed,
        _latents,
        {
            "W_k is transposed: the query is a row of d numbers, so q @ W_k has c": (
                _transposed(keys=True)
            ),
            "W_v is transposed: a blend is a row of c numbers, so it meets W_v.T": (
                _transposed(values=True)
            ),
            "W_k and W_v are both transposed: q @ W_k has c numbers, blend @ W_v.T has d": (
                _transposed(keys=True, values=True)
            ),
            "the scores are divided by the root of the latent's width: the key that is never made "
            "has d numbers": lambda q, latents, W_k, W_v: _absorbed(
                q, latents, W_k, W_v, scale=latents.shape[1] ** -0.5
            ),
            "the scores are not divided by √d": lambda *given: _absorbed(*given, scale=1.0),
            "W_v is missing: this is the blend of the latents": (
                lambda q, latents, W_k, W_v: _absorbed(q, latents, W_k, torch.eye(W_k.shape[1]))
            ),
            "W_k stands where W_v belongs: the blend becomes a value": (
                lambda q, latents, W_k, W_v: _absorbed(q, latents, W_k, W_k)
            ),
            "W_v is applied to the query: it belongs to the blend": (
                lambda q, latents, W_k, W_v: _absorbed(q, latents, W_v, W_v)
            ),
            "the matrices are swapped: W_k folds into the query": (
                lambda q, latents, W_k, W_v: _absorbed(q, latents, W_v, W_k)
            ),
            "the softmax is over the queries: each row of shares must sum to 1": (
                lambda q, latents, W_k, W_v: (
                    (q @ W_k @ latents.mT * q.shape[1] ** -0.5).softmax(0) @ latents @ W_v.mT
                )
            ),
            "there is no softmax: scores become shares first": (
                lambda q, latents, W_k, W_v: (
                    q @ W_k @ latents.mT * q.shape[1] ** -0.5 @ latents @ W_v.mT
                )
            ),
        },
    ),
    "10.6": FunctionExercise(
        _card,
        _cards,
        {
            "heads of queries leave nothing behind: count those of keys": (
                lambda config, n: _card(config, n, heads="num_attention_heads")
            ),
            "keys and values are kept: a factor 2 is missing": (
                lambda config, n: _card(config, n, both=1)
            ),
            "these are numbers: one in bfloat16 takes 2 bytes": (
                lambda config, n: _card(config, n, bytes_each=1)
            ),
            "a latent serves keys and values: it is kept once": (
                lambda config, n: _card(config, n, latent=2)
            ),
            "the rotary part that stands beside the latent is kept, too": (
                lambda config, n: _card(config, n, rotary=False)
            ),
            "a model with kv_lora_rank keeps the latent, and no heads of keys": (
                lambda config, n: _card(config, n, latent=0)
            ),
            "every layer is counted as one that keeps all words: look at layer_types": _all_alike,
            "a layer with a window keeps sliding_window words and not all": (
                lambda config, n: _card(
                    config, n, sliding_attention=lambda config, n, word, kept: n * word
                )
            ),
            "a text shorter than the window fills only a part of it": (
                lambda config, n: _card(
                    config,
                    n,
                    sliding_attention=lambda config, n, word, kept: (
                        config.get("sliding_window", 0) * word
                    ),
                )
            ),
            "a state does not grow with the text": (
                lambda config, n: _card(
                    config,
                    n,
                    linear_attention=lambda config, n, word, kept: n * kept["linear_attention"],
                )
            ),
            "the states are missing": (
                lambda config, n: _card(config, n, linear_attention=lambda config, n, word, kept: 0)
            ),
            "the bytes are right, the reach is not: one full layer is enough": _with_reach(
                lambda config, n: min(n, config.get("sliding_window", n))
            ),
            "the bytes are right, the reach is not: it need not lead back to the first word": (
                _with_reach(lambda config, n: n)
            ),
            "the bytes are right, the reach is not: a state looks nothing up": _with_reach(
                lambda config, n: _reach(config, n) if "sliding_window" in config else n
            ),
            "the bytes are right, the reach is not: it is n at most": (
                _with_reach(
                    lambda config, n: (
                        max(_reach(config, n), config["sliding_window"])
                        if set(config["layer_types"]) == {"sliding_attention"}
                        else _reach(config, n)
                    )
                )
            ),
        },
    ),
}
