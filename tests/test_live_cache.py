"""The cache that grows: its bytes (run in node) against real caches, what it says, its errors."""

import functools
import itertools
import re

import pytest
import torch
from test_live import in_node, needs_node, parts, plays

from d2lattn import Decoder, LatentAttention, delta_attention
from d2lattn.generation import Cache
from d2lattn_book.pictures import live

SENTENCE = ["the", "hungry", "cat", "found", "the", "milk", "and", "drank", "it"]
SIZES = [  # H, Hkv, D, C, R, window, sinks, layers, dtype
    (8, 2, 16, 32, 8, 4, 1, 1, torch.float32),
    (4, 4, 2, 5, 0, 1, 0, 3, torch.float64),
    (6, 3, 4, 7, 2, 3, 2, 2, torch.bfloat16),
    (1, 1, 8, 1, 4, 9, 3, 1, torch.float32),
    (4, 1, 6, 12, 6, 2, 5, 2, torch.float16),
]
NAMES = ["num_heads", "num_kv_heads", "head_dim", "latent_dim", "rope_dim", "window", "sinks"]
NAMES += ["num_layers", "dtype"]


def figure(sizes, **options):
    return live.cache(SENTENCE, **dict(zip(NAMES, sizes, strict=True)), **options)


def measured(kind, sizes):
    """After each word: the bytes that are filled, and the words that still have rows."""
    H, few, D, C, R, window, sinks, layers, dtype = sizes
    if kind == "state":
        yield from state_of(sizes)
        return
    given = {
        "grouped": dict(num_kv_heads=few),
        "latent": dict(
            attention=LatentAttention, latent_dim=C, rope_dim=R, positions="rotary" if R else None
        ),
        "window": dict(window=window),
        "sinks": dict(window=window, sinks=sinks),
    }.get(kind, {})
    model = Decoder(5, H * D, num_layers=layers, num_heads=H, **(dict(positions=None) | given))
    model = model.to(dtype).eval()
    cache = Cache(model, max_len=None if "window" in given else len(SENTENCE))
    for word in range(len(SENTENCE)):
        with torch.no_grad():
            model(torch.tensor([[word % 5]]), cache=cache)
        columns = range(cache.length) if cache.columns is None else cache.columns[0].tolist()
        kept = sorted(column for column in columns if column >= 0)
        yield len(kept) * cache.bytes_per_token, kept


def state_of(sizes):
    """The state of the delta rule, a head after a layer, has no rows."""
    H, _, D, *_, layers, dtype = sizes
    state = None
    for _ in SENTENCE:
        key = torch.nn.functional.normalize(torch.randn(layers, H, 1, D), dim=-1).to(dtype)
        beta = torch.ones(layers, H, 1, dtype=dtype)
        _, state = delta_attention(key, key, key, beta=beta, state=state, need_state=True)
        yield state.nbytes, []


@functools.cache
def all_words():
    """Of every kind and size, what there is after each word, and the figure."""
    keys = list(itertools.product(live.KINDS_KEPT, SIZES))
    shown = [figure(sizes, kind=kind) for kind, sizes in keys]
    acts = [("go", n, "the data") for n in range(2, len(SENTENCE) + 1)]
    played = plays("cache", [(one, acts) for one in shown])
    return dict(zip(keys, zip(played, shown, strict=True), strict=True))


@needs_node
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("kind", live.KINDS_KEPT)
def test_bytes_and_map_are_those_of_real_caches(kind, sizes):
    states, shown = all_words()[kind, sizes]
    data = parts(shown)[2]
    column = live.KINDS_KEPT.index(kind)
    table = re.findall(r"<tr><th>[^<]*</th>((?:<td>\d+</td>)+)</tr>", parts(shown)[0])
    assert len(states) == len(table) == len(SENTENCE)
    for n, (state, (count, kept)) in enumerate(
        zip(states, measured(kind, sizes), strict=True), start=1
    ):
        now = state["now"]
        assert now["chosen"]["bytes"] == now["all"][column]["bytes"] == count
        assert int(re.findall(r"\d+", table[n - 1])[column]) == count
        assert live._kept_bytes(kind, n, data["sizes"]) == count
        assert f"{count:,} bytes" in state["said"] or f"= {count:,} bytes" in state["said"]
        assert [j for j, fate in enumerate(now["last"]) if fate == "kept"] == kept
        assert now["map"][n - 1] == now["last"]
        assert now["most"] == max(one["bytes"] for one in states[-1]["now"]["all"])
        assert now["last"][n:] == ["later"] * (len(SENTENCE) - n)
        other = "overlaid" if kind == "state" else "dropped"
        assert {*now["last"][:n]} <= {"kept", other}


@needs_node
def test_who_is_shut_out_changes_nothing_for_the_newest_word():
    """The map against the model itself: another word where nobody looks gives the same logits."""
    for sizes in SIZES[:3]:
        H, _, D, *_, window, sinks, _, _ = sizes
        for kind, given in (
            ("full", {}),
            ("window", dict(window=window)),
            ("sinks", dict(window=window, sinks=sinks)),
        ):
            model = Decoder(9, H * D, num_layers=1, num_heads=H, positions=None, **given).eval()
            tokens = torch.arange(len(SENTENCE))[None] % 9
            n = len(SENTENCE)
            cases = [[kind, n - 1, j, dict(zip(NAMES[:-1], sizes, strict=False))] for j in range(n)]
            for j, fate in enumerate(in_node("cache/state", "fate", cases)):
                other = tokens.clone()
                other[0, j] = (other[0, j] + 1) % 9
                with torch.no_grad():
                    same = torch.equal(model(other)[0, -1], model(tokens)[0, -1])
                assert same == (fate == "dropped"), (kind, j)


def test_a_state_keeps_single_precision_and_the_rest_the_dtype():
    sizes = parts(figure(SIZES[2]))[2]["sizes"]
    assert (sizes["itemsize"], sizes["state_itemsize"]) == (2, 4)
    assert repr(figure(SIZES[0])) == (
        "live cache: bytes of 9 tokens: full 9216, grouped 2304, latent 1440, window 4096, "
        "sinks 5120, state 8192"
    )
