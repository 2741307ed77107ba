"""The KV cache that grows."""

from collections.abc import Sequence

import torch

from d2lattn.arguments import check_choice, check_count
from d2lattn_book.host import on_the_host
from d2lattn_book.pictures import arrays
from d2lattn_book.pictures.arrays import Words, position
from d2lattn_book.pictures.page import Figure
from d2lattn_book.pictures.tables import plain_table

MOST_KEPT = 16  # words that come into a cache
MOST_SIZE = 4096  # of a model: the bytes stay whole numbers in a double
KINDS_KEPT = ("full", "grouped", "latent", "window", "sinks", "state")


@on_the_host
def cache(
    tokens: Words,
    *,
    kinds: Sequence[str] = KINDS_KEPT,
    num_heads: int = 8,
    num_kv_heads: int = 2,
    head_dim: int = 16,
    latent_dim: int = 32,
    rope_dim: int = 8,
    window: int = 4,
    sinks: int = 1,
    num_layers: int = 1,
    dtype: torch.dtype = torch.float32,
    kind: str | None = None,
    step: int = 1,
) -> Figure:
    """Tokens arrive one by one: the bytes of each kind of cache, and the keys still visible.

    Numbers a layer caches of a token: 2·H·D of "full" attention, 2·Hkv·D of "grouped", C + R of
    a "latent"; with a "window", and with "sinks" beside it, 2·H·D of the last w words and the first
    s. A "state" (`delta_attention`) has H·D·D numbers in at least float32, whatever it has read.
    These are the bytes of the rows that a `Cache` has filled. The reader plays the words, chooses a
    kind and sees, for each word when it was the newest, which ones it could look up.

    Args:
        tokens: the words, at most 16.
        kinds: those to compare, of "full", "grouped", "latent", "window", "sinks" and "state".
        num_heads, num_kv_heads, head_dim (int): H, Hkv, which must divide H, and D.
        latent_dim, rope_dim (int): C, and R, which may be 0.
        window, sinks (int): w and s, as in `Decoder`.
        num_layers (int): how often all this is kept.
        dtype: of the numbers.
        kind: the one whose map is shown when the figure opens; the first when absent.
        step (int): the words that have come when it opens, from 1.

    Raises:
        ValueError: more than 16 words, an unknown kind or one that comes twice, heads of keys that
            do not divide the heads, a size or a step outside its limits.

    Cost:
        About 17 kB in the notebook.

    Example:
        >>> cache(["the", "cat", "slept"], kinds=["full", "window"], window=2)
        live cache: bytes of 3 tokens: full 3072, window 2048
    """
    tokens = arrays.names("tokens", tokens)
    if len(tokens) > MOST_KEPT:
        raise ValueError(f"tokens must hold at most {MOST_KEPT} words, got {len(tokens)}")
    kinds = arrays.names("kinds", kinds, different=True)
    for one in kinds:
        check_choice("kinds", one, KINDS_KEPT)
    sizes = dict(num_heads=num_heads, num_kv_heads=num_kv_heads, head_dim=head_dim)
    sizes |= dict(latent_dim=latent_dim, rope_dim=rope_dim, window=window, sinks=sinks)
    sizes |= dict(num_layers=num_layers)
    for name, size in sizes.items():
        check_count(name, size, least=int(name not in ("rope_dim", "sinks")), most=MOST_SIZE)
    if num_heads % num_kv_heads:
        raise ValueError(f"num_kv_heads must divide num_heads={num_heads}, got {num_kv_heads}")
    wide = torch.promote_types(dtype, torch.float32)
    sizes |= dict(itemsize=dtype.itemsize, state_itemsize=wide.itemsize)
    check_count("step", step, most=len(tokens))
    shown = kinds[position(0 if kind is None else kind, kinds, "kind")]
    rows = [[_kept_bytes(one, n, sizes) for one in kinds] for n in range(1, len(tokens) + 1)]
    told = ", ".join(f"{one} {count}" for one, count in zip(kinds, rows[-1], strict=True))
    line = f"live cache: bytes of {len(tokens)} token{'s' * (len(tokens) > 1)}: {told}"
    caption = "Bytes in the cache after each token"
    table = plain_table(caption, tokens, kinds, torch.tensor(rows, dtype=torch.float64), places=0)
    data = {"tokens": tokens, "kinds": kinds, "sizes": sizes, "kind": shown, "step": step}
    return Figure("cache", line, data, table)


def _kept_bytes(kind, words, sizes):
    """What a kind of attention keeps of so many words."""
    H, D, w, s = (sizes[name] for name in ("num_heads", "head_dim", "window", "sinks"))
    if kind == "state":
        return sizes["num_layers"] * H * D * D * sizes["state_itemsize"]
    rows = {"window": min(words, w), "sinks": min(words, s + w)}.get(kind, words)
    numbers = {
        "grouped": 2 * sizes["num_kv_heads"] * D,
        "latent": sizes["latent_dim"] + sizes["rope_dim"],
    }.get(kind, 2 * H * D)
    return rows * sizes["num_layers"] * numbers * sizes["itemsize"]
