"""The KV cache that grows."""

import torch

from d2lattn.arguments import check_choice, check_count
from d2lattn_book.host import on_the_host
from d2lattn_book.pictures import arrays
from d2lattn_book.pictures.arrays import Words
from d2lattn_book.pictures.page import Figure
from d2lattn_book.pictures.tables import plain_table

MOST_KEPT = 16  # words that come into a cache
KINDS = ["full", "grouped", "latent", "window", "sinks", "state"]
SIZES = dict(num_heads=8, num_kv_heads=2, head_dim=16, latent_dim=32, rope_dim=8, itemsize=4)


@on_the_host
def cache(
    tokens: Words,
    *,
    window: int = 4,
    sinks: int = 1,
    kind: str = "full",
    step: int = 1,
) -> Figure:
    """Tokens arrive one by one: the bytes of each kind of cache, and the keys still visible.

    Numbers a layer caches of a token: 2·H·D of "full" attention, 2·Hkv·D of "grouped", C + R of
    a "latent"; with a "window", and with "sinks" beside it, 2·H·D of the last w words and the first
    s. A "state" (`delta_attention`) has H·D·D numbers, whatever it has read. These are the bytes in
    float32 of the rows that a `Cache` has filled. The reader plays the words, chooses a
    kind and sees, for each word when it was the newest, which ones it could look up.

    Args:
        tokens: the words, at most 16.
        window, sinks (int): w and s, as in `Decoder`.
        kind: the one whose map is shown when the figure opens: "full", "grouped", "latent",
            "window", "sinks" or "state".
        step (int): the words that have come when it opens, from 1.

    Raises:
        ValueError: more than 16 words, an unknown kind, a size or a step outside its limits.

    Cost:
        About 17 kB in the notebook.

    Example:
        >>> cache(["the", "cat"], window=1)  # doctest: +ELLIPSIS
        live cache: bytes of 2 tokens: full 2048, grouped 512, latent 320, window 1024, ...
    """
    tokens = arrays.names("tokens", tokens)
    if len(tokens) > MOST_KEPT:
        raise ValueError(f"tokens must hold at most {MOST_KEPT} words, got {len(tokens)}")
    check_count("window", window)
    check_count("sinks", sinks, least=0)
    check_count("step", step, most=len(tokens))
    check_choice("kind", kind, KINDS)
    sizes = SIZES | dict(window=window, sinks=sinks)
    rows = [[_kept_bytes(one, n, sizes) for one in KINDS] for n in range(1, len(tokens) + 1)]
    told = ", ".join(f"{one} {count}" for one, count in zip(KINDS, rows[-1], strict=True))
    line = f"live cache: bytes of {len(tokens)} token{'s' * (len(tokens) > 1)}: {told}"
    caption = "Bytes in the cache after each token"
    table = plain_table(caption, tokens, KINDS, torch.tensor(rows, dtype=torch.float64), places=0)
    data = {"tokens": tokens, "kinds": KINDS, "sizes": sizes, "kind": kind, "step": step}
    return Figure("cache", line, data, table)


def _kept_bytes(kind, words, sizes):
    """What a kind of attention keeps of so many words."""
    H, D, w, s = (sizes[name] for name in ("num_heads", "head_dim", "window", "sinks"))
    if kind == "state":
        return H * D * D * sizes["itemsize"]
    rows = {"window": min(words, w), "sinks": min(words, s + w)}.get(kind, words)
    numbers = {
        "grouped": 2 * sizes["num_kv_heads"] * D,
        "latent": sizes["latent_dim"] + sizes["rope_dim"],
    }.get(kind, 2 * H * D)
    return rows * numbers * sizes["itemsize"]
