"""The cache that grows: its bytes and its map (run in node) against real caches."""

import re

import pytest
import torch
from live_kinds import KEPT
from test_live import needs_node, parts, plays

from d2lattn import Decoder, LatentAttention, delta_attention
from d2lattn.generation import Cache
from d2lattn_book.pictures import live
from d2lattn_book.pictures.live.cache.figure import KINDS_KEPT

SIZES = [  # H, Hkv, D, C, R, window, sinks, layers, dtype
    (8, 2, 16, 32, 8, 4, 1, 1, torch.float32),
    (4, 4, 2, 5, 0, 1, 0, 3, torch.float64),
    (6, 3, 4, 7, 2, 3, 2, 2, torch.bfloat16),
]
NAMES = ["num_heads", "num_kv_heads", "head_dim", "latent_dim", "rope_dim", "window", "sinks"]
NAMES += ["num_layers", "dtype"]


def measured(kind, sizes):
    """After each token: the bytes that are filled, and the tokens that still have rows."""
    H, few, D, C, R, window, sinks, layers, dtype = sizes
    if kind == "state":
        yield from state_of(sizes)
        return
    latent = dict(attention=LatentAttention, latent_dim=C, rope_dim=R)
    given = {
        "grouped": dict(num_kv_heads=few),
        "latent": latent | dict(positions="rotary" if R else None),
        "window": dict(window=window),
        "sinks": dict(window=window, sinks=sinks),
    }.get(kind, {})
    model = Decoder(5, H * D, num_layers=layers, num_heads=H, **(dict(positions=None) | given))
    model = model.to(dtype).eval()
    cache = Cache(model, max_len=None if "window" in given else len(KEPT))
    for token in range(len(KEPT)):
        with torch.no_grad():
            model(torch.tensor([[token % 5]]), cache=cache)
        columns = range(cache.length) if cache.columns is None else cache.columns[0].tolist()
        kept = sorted(column for column in columns if column >= 0)
        yield len(kept) * cache.bytes_per_token, kept


def state_of(sizes):
    """The state of the delta rule, a head after a layer, has no rows."""
    H, _, D, *_, layers, dtype = sizes
    state = None
    for _ in KEPT:
        key = torch.nn.functional.normalize(torch.randn(layers, H, 1, D), dim=-1).to(dtype)
        beta = torch.ones(layers, H, 1, dtype=dtype)
        _, state = delta_attention(key, key, key, beta=beta, state=state, need_state=True)
        yield state.nbytes, []


@needs_node
@pytest.mark.parametrize("kind", KINDS_KEPT)
def test_bytes_and_map_are_those_of_real_caches(kind):
    shown = [live.cache(KEPT, kind=kind, **dict(zip(NAMES, one, strict=True))) for one in SIZES]
    acts = [("go", n, "the data") for n in range(2, len(KEPT) + 1)]
    column = KINDS_KEPT.index(kind)
    played = plays([("cache", one, acts) for one in shown])
    for sizes, one, states in zip(SIZES, shown, played, strict=True):
        table = re.findall(r"<tr><th>[^<]*</th>((?:<td>\d+</td>)+)</tr>", parts(one)[0])
        real = measured(kind, sizes)
        for n, (state, row, (count, kept)) in enumerate(zip(states, table, real, strict=True), 1):
            now = state["now"]
            assert now["chosen"]["bytes"] == now["all"][column]["bytes"] == count
            assert int(re.findall(r"\d+", row)[column]) == count
            fates = ["overlaid" if kind == "state" else "dropped"] * n
            fates += ["later"] * (len(KEPT) - n)
            for j in kept:
                fates[j] = "kept"
            assert now["last"] == now["map"][n - 1] == fates
            assert now["most"] == max(one["bytes"] for one in states[-1]["now"]["all"])
