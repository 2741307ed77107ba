"""What does a real model lose when its layers attend in a cheaper way?

The rows of the second text were written down before they were run. Predicted of them what the
book's prose gave: a window alone costs a nat or more, with the first four tokens less than half.
"""

import smollm
import torch
from experiment import Experiment

from d2lattn import attention, linear_attention
from d2lattn.sparse import lsh_buckets
from d2lattn_book.real.edits import Edit, see

LENGTH, FROM = 192, 96
rows, columns = torch.arange(LENGTH)[:, None], torch.arange(LENGTH)
CAUSAL = columns <= rows


def run(variant, seed, steps):
    """The loss of the second half of 192 tokens."""
    text, change = smollm.text_and_change(variant)
    tokens = smollm.passages(seed, 2, LENGTH, text)
    return {"nats": smollm.nats(tokens, *WAYS[change](seed), start=FROM)}


def window(sinks):
    mask = CAUSAL & ((columns > rows - 32) | (columns < sinks))
    return lambda seed: [see(mask)]


def linear_last(seed):
    """Linear attention in the last three layers."""

    def change(heads, query, key, value):
        return linear_attention(query, key, value, is_causal=True)

    return smollm.with_parts(change, range(27, smollm.LAYERS))


def hashed(at_random=False):
    """Every row sees itself, the first four and the keys that share a bucket in one of four rounds,
    or as many drawn at random."""

    def way(seed):
        generator = torch.Generator().manual_seed(seed)
        always = torch.eye(LENGTH, dtype=torch.bool) | (columns < 4)

        def change(heads, query, key, value):
            both = torch.stack([query, key / key.norm(dim=-1, keepdim=True)])
            buckets = lsh_buckets(both, num_buckets=16, num_rounds=4, generator=generator)
            same = (buckets[:, 0, ..., :, None] == buckets[:, 1, ..., None, :]).any(0)
            if at_random:
                share = same[..., CAUSAL].double().mean()
                same = torch.rand(same.shape, generator=generator) < share
            return attention(query, key, value, attn_mask=CAUSAL & (same | always))

        return smollm.with_parts(change)

    return way


def fewer_keys(change):
    """Other heads of keys and values, (B, 3, S, D) -> the same shape."""
    return lambda seed: [Edit(name, lambda x, layer: change(x)) for name in ("key", "value")]


WAYS = {
    "all": lambda seed: [],
    "window": window(0),
    "window_four": window(4),
    "hashed_four": hashed(),
    "random_four": hashed(at_random=True),
    "linear_last": linear_last,
    "one_kv": fewer_keys(lambda x: x.mean(1, keepdim=True).expand_as(x)),  # of all three heads
    "exchanged": fewer_keys(lambda x: x.roll(1, dims=1)),  # each group asks the next one's
}
EXPERIMENT = Experiment(
    section="8.12",
    varies="how the layers attend, without any training for it; and the text, the book's prose or "
    "Python's manual",
    held="two passages of 192 tokens, the loss of the second half",
    control="for hashing as many keys drawn at random; for the mean, queries that ask the keys and "
    "values of another group: what costs no less than its control has kept nothing that counts",
    refuted="one head of keys in all layers costs less than half a nat; in the manual, a window "
    "with the first four costs more than half a nat, or without them no more",
    variants={
        "all": "as trained: 9 heads ask 3",
        "window": "a window of 32",
        "window_four": "a window of 32 and the first four",
        "hashed_four": "hashing, 16 buckets, four rounds, and the first four",
        "random_four": "as many at random and the first four",
        "linear_last": "linear attention in the last three layers",
        "one_kv": "the mean of the 3 heads of keys and values",
        "exchanged": "the heads of keys and values exchanged",
        "manual_all": "manual, as trained",
        "manual_window": "manual, a window of 32",
        "manual_window_four": "manual, a window of 32 and the first four",
    },
)
