"""What does a real model lose when its layers attend in a cheaper way?

The rows of the second text were written down before they were run. Predicted of them what the
book's prose gave: a window alone costs a nat or more, with the first four tokens less than half.
"""

import real
import torch
from experiment import Experiment

from d2lattn import Cache, linear_attention
from d2lattn.sparse import lsh_buckets
from d2lattn_book.real.edits import Edit, see

LENGTH, FROM = 192, 96
rows, columns = torch.arange(LENGTH)[:, None], torch.arange(LENGTH)
CAUSAL = columns <= rows


def run(variant, seed, steps):
    """The loss of the second half of 192 tokens, and how many numbers are kept of them."""
    text = "manual" if variant.startswith("manual") else "prose"
    tokens = real.passages(seed, 2, LENGTH, text)
    edits, kept = WAYS[variant.removeprefix("manual_")](seed)
    return {"nats": real.nats(tokens, *edits, start=FROM), "million numbers kept": kept / 10**6}


def cached(pieces):
    """How many numbers a `Cache` of the model holds of so many tokens."""
    cache = Cache(real.model(), max_len=pieces)
    return cache.keys.numel() + cache.values.numel()


def exact(seed):
    return [], cached(LENGTH)


def window(sinks):
    mask = CAUSAL & ((columns > rows - 32) | (columns < sinks))
    return lambda seed: ([see(mask)], cached(32 + sinks))


def with_parts(layers, change):
    """Edits that put change(query, key, value) in the place of what the heads found."""
    at = {}

    def note(name):
        def keep(x, layer):
            at[name] = x
            return x

        return Edit(name, keep, layers)

    def instead(heads, layer):
        group = real.HEADS // at["key"].shape[1]
        key, value = (at[name].repeat_interleave(group, 1) for name in ("key", "value"))
        return change(at["query"], key, value)

    return [*map(note, ("query", "key", "value")), Edit("heads", instead, layers)]


def linear(first):
    """Linear attention from a layer on; each head of keys keeps a matrix and a sum."""
    layers = range(first, real.LAYERS)

    def way(seed):
        edits = with_parts(layers, lambda q, k, v: linear_attention(q, k, v, is_causal=True))
        state = len(layers) * 3 * (64 * 64 + 64)
        return edits, state + cached(LENGTH) * first // real.LAYERS

    return way


def hashed(first=0, at_random=False):
    """Every row sees itself, the first few and the keys that share a bucket in one of four rounds,
    or as many drawn at random."""

    def way(seed):
        at, generator = {}, torch.Generator().manual_seed(seed)
        always = torch.eye(LENGTH, dtype=torch.bool) | (columns < first)

        def note(name):
            def keep(x, layer):
                at[name] = x
                return x

            return Edit(name, keep)

        def found(seen, layer):
            key = at["key"].repeat_interleave(real.HEADS // at["key"].shape[1], 1)
            both = torch.stack([at["query"], key / key.norm(dim=-1, keepdim=True)])
            buckets = lsh_buckets(both, num_buckets=16, num_rounds=4, generator=generator)
            same = (buckets[:, 0, ..., :, None] == buckets[:, 1, ..., None, :]).any(0)
            if at_random:
                share = same[..., CAUSAL].double().mean()
                same = torch.rand(same.shape, generator=generator) < share
            return seen & (same | always)

        return [note("query"), note("key"), Edit("visible", found)], cached(LENGTH)

    return way


def fewer_keys(change):
    """Other heads of keys and values, (B, 3, S, D) -> the same shape."""
    return lambda seed: [Edit(name, lambda x, layer: change(x)) for name in ("key", "value")]


def one_head(seed):
    """All three heads of keys and values are their mean: queries as many as ever ask one."""
    return fewer_keys(lambda x: x.mean(1, keepdim=True).expand_as(x))(seed), cached(LENGTH) // 3


def exchanged(seed):
    """Each group of queries asks the keys of the next group."""
    return fewer_keys(lambda x: x.roll(1, dims=1))(seed), cached(LENGTH)


WAYS = {
    "all": exact,
    "window": window(0),
    "window_four": window(4),
    "hashed": hashed(),
    "hashed_four": hashed(4),
    "random_four": hashed(4, at_random=True),
    "linear": linear(0),
    "linear_last": linear(27),
    "one_kv": one_head,
    "exchanged": exchanged,
}
EXPERIMENT = Experiment(
    section="8.12",
    varies="how the layers attend, without any training for it; and the text, the book's prose or "
    "Python's manual",
    held="two passages of 192 tokens, the loss of the second half; numbers of keys and values that "
    "are kept of one text, those of a softmax as counted on a `Cache`",
    control="for hashing as many keys drawn at random; for the mean, queries that ask the keys and "
    "values of another group: what costs no less than its control has kept nothing that counts",
    refuted="linear attention or one head of keys in all layers costs less than half a nat; in the "
    "manual, a window with the first four costs more than half a nat, or without them no more",
    variants={
        "all": "as trained: 9 heads ask 3",
        "window": "a window of 32",
        "window_four": "a window of 32 and the first four",
        "hashed": "hashing, 16 buckets, four rounds",
        "hashed_four": "the same and the first four",
        "random_four": "as many at random and the first four",
        "linear": "linear attention in all layers",
        "linear_last": "in the last three layers",
        "one_kv": "the mean of the 3 heads of keys and values",
        "exchanged": "the heads of keys and values exchanged",
        "manual_all": "manual, as trained",
        "manual_window": "manual, a window of 32",
        "manual_window_four": "manual, a window of 32 and the first four",
    },
    run=run,
    steps=None,
    seeds=8,
)
