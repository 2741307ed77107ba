"""Do the cheaper attentions come near a real model's, as they do or do not with Gaussian ones?"""

import functools

import real
import torch
from experiment import Experiment

from d2lattn import attention, attention_weights, linear_attention
from d2lattn.sparse import lsh_buckets
from d2lattn_book.real.edits import Edit, edited

LENGTH, FROM, WINDOW = 256, 128, 32
LAYERS = range(0, 30, 3)
rows, columns = torch.arange(LENGTH)[:, None], torch.arange(LENGTH)
CAUSAL = columns <= rows
NEAR = CAUSAL & (columns > rows - WINDOW)


def run(variant, seed, steps):
    """How far the output of a head is off, and how much of its weights is found."""
    layers = of_the_model(seed)
    if variant.startswith("gaussian"):
        layers = [drawn(seed, *layer, alike=variant == "gaussian_alike") for layer in layers]
    first = 1 if variant == "no_first" else 0
    found = [measured(*(x[:, :, first:] for x in layer), seed) for layer in layers]
    return {what: torch.stack([one[what] for one in found]).mean() for what in found[0]}


def measured(query, key, value, seed):
    """Of heads (1, H, L, D): relative errors of outputs, and the weights that are found."""
    n = query.shape[2]
    causal, near = CAUSAL[-n:, -n:], NEAR[-n:, -n:]
    weights = attention_weights(query, key, is_causal=True)
    exact = weights @ value
    late = slice(FROM, None)

    def error(output):
        off = (output - exact)[..., late, :].norm(dim=(-2, -1))
        return (off / exact[..., late, :].norm(dim=(-2, -1))).mean()

    def masked(mask):
        return error(attention(query, key, value, attn_mask=mask))

    generator = torch.Generator().manual_seed(seed)
    both = torch.stack([query, key / key.norm(dim=-1, keepdim=True)])  # hashed alike
    buckets = lsh_buckets(both, num_buckets=16, num_rounds=4, generator=generator)
    same = (buckets[:, 0, ..., :, None] == buckets[:, 1, ..., None, :]).any(0)  # (1, H, L, L)
    own = torch.eye(n, dtype=torch.bool)
    hashed = causal & (same | own)
    at_random = causal & ((torch.rand(hashed.shape, generator=generator) < 0.25) | own)
    sinking = near | (causal & (torch.arange(n) < 4))
    kept = (hashed.sum(-1) / causal.sum(-1))[..., late].mean()
    return {
        "error, linear": error(linear_attention(query, key, value, is_causal=True)),
        "window": masked(near),
        "window and first four": masked(sinking),
        "hashing": masked(hashed),
        "a quarter at random": masked(at_random),
        "weight found, window": (weights * near).sum(-1)[..., late].mean(),
        "with first four": (weights * sinking).sum(-1)[..., late].mean(),
        "hashing ": (weights * hashed).sum(-1)[..., late].mean(),
        "of the keys": kept,
        "the eight largest weights": weights.topk(8).values.sum(-1)[..., late].mean(),
    }


def drawn(seed, query, key, value, *, alike):
    """Gaussian queries, keys and values: of variance 1, or with the model's mean square and
    spread of scores in each head."""
    generator = torch.Generator().manual_seed(seed)
    q, k, v = (torch.randn(x.shape, generator=generator) for x in (query, key, value))
    if alike:
        wanted = (query @ key.mT).std((0, 2, 3))
        factor = (wanted / (q @ k.mT).std((0, 2, 3))).sqrt()[:, None, None]
        q, k = factor * q, factor * k
    return q, k, v


@functools.lru_cache(maxsize=16)
def of_the_model(seed):
    """(queries, keys, values) of every third layer, turned, each (1, 9, 256, 64)."""
    kept = {name: [] for name in ("query", "key", "value")}

    def note(name):
        def change(x, layer):
            kept[name].append(x.repeat_interleave(real.HEADS // x.shape[1], 1))
            return x

        return Edit(name, change, LAYERS)

    with torch.no_grad(), edited(real.model(), *(note(name) for name in kept)):
        real.model()(real.passages(seed, 1, LENGTH))
    return list(zip(*kept.values(), strict=True))


EXPERIMENT = Experiment(
    section="8.12",
    varies="whose queries, keys and values: the model's in ten of its layers, turned, with and "
    "without the first token, or Gaussian ones",
    held="256 tokens, rows from the 129th on; no training for the cheaper kind; errors relative to "
    "the length of the exact output, the mean of the heads; a window of 32; 16 buckets, four "
    "rounds, queries and keys hashed by the same rotations; linear attention with elu(x) + 1",
    control="a quarter of the keys at random: what finds no more of the weights has found nothing",
    refuted="hashing or linear attention comes as near with the model's as with Gaussian ones",
    variants={
        "model": "the model's",
        "no_first": "without the first token",
        "gaussian": "Gaussian, variance 1",
        "gaussian_alike": "Gaussian, scores spread as the model's",
    },
    run=run,
    steps=None,
    seeds=16,
)
