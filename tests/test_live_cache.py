"""The cache that grows: its bytes and its map (run in node) against real caches."""

import re

import pytest
import torch
from live_kinds import KEPT
from test_live import needs_node, parts, plays

from d2lattn import Decoder, LatentAttention, delta_attention
from d2lattn.generation import Cache
from d2lattn_book.pictures import live
from d2lattn_book.pictures.live.cache.figure import KINDS, SIZES

WAYS = [(4, 1), (1, 0), (3, 2)]  # window, sinks
H, D = SIZES["num_heads"], SIZES["head_dim"]


def measured(kind, window, sinks):
    """After each token: the bytes that are filled, and the tokens that still have rows."""
    if kind == "state":
        yield from state_of()
        return
    latent = {name: SIZES[name] for name in ("latent_dim", "rope_dim")}
    given = {
        "grouped": dict(num_kv_heads=SIZES["num_kv_heads"]),
        "latent": latent | dict(attention=LatentAttention, positions="rotary"),
        "window": dict(window=window),
        "sinks": dict(window=window, sinks=sinks),
    }.get(kind, {})
    model = Decoder(5, H * D, num_layers=1, num_heads=H, **(dict(positions=None) | given)).eval()
    cache = Cache(model, max_len=None if "window" in given else len(KEPT))
    for token in range(len(KEPT)):
        with torch.no_grad():
            model(torch.tensor([[token % 5]]), cache=cache)
        columns = range(cache.length) if cache.columns is None else cache.columns[0].tolist()
        kept = sorted(column for column in columns if column >= 0)
        yield len(kept) * cache.bytes_per_token, kept


def state_of():
    """The state of the delta rule has no rows."""
    state = None
    for _ in KEPT:
        key = torch.nn.functional.normalize(torch.randn(1, H, 1, D), dim=-1)
        beta = torch.ones(1, H, 1)
        _, state = delta_attention(key, key, key, beta=beta, state=state, need_state=True)
        yield state.nbytes, []


@needs_node
@pytest.mark.parametrize("kind", KINDS)
def test_bytes_and_map_are_those_of_real_caches(kind):
    shown = [live.cache(KEPT, kind=kind, window=w, sinks=s) for w, s in WAYS]
    acts = [("go", n, "the data") for n in range(2, len(KEPT) + 1)]
    column = KINDS.index(kind)
    played = plays([("cache", one, acts) for one in shown])
    for way, one, states in zip(WAYS, shown, played, strict=True):
        table = re.findall(r"<tr><th>[^<]*</th>((?:<td>\d+</td>)+)</tr>", parts(one)[0])
        real = measured(kind, *way)
        for n, (state, row, (count, kept)) in enumerate(zip(states, table, real, strict=True), 1):
            now = state["now"]
            assert now["chosen"]["bytes"] == now["all"][column]["bytes"] == count
            assert int(re.findall(r"\d+", row)[column]) == count
            fates = ["overlaid" if kind == "state" else "dropped"] * n
            fates += ["later"] * (len(KEPT) - n)
            for j in kept:
                fates[j] = "kept"
            assert now["last"] == now["map"][n - 1] == fates
            assert {fate for row in now["map"][n:] for fate in row} <= {"later"}
            assert now["most"] == max(one["bytes"] for one in states[-1]["now"]["all"])
