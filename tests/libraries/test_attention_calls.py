"""What appendix 90 says of attention calls, asked of the libraries (`make test-libraries`).

Every cell of the two tables is the answer that a library gives here; the rows of libraries that
want a GPU or another machine were read, and say so.
"""

import re
import sysconfig
from importlib import metadata
from pathlib import Path

import calls
import pytest
import torch
from attention_calls import CALLS, HEADS, Absent, mistral, module, onnx_attention

from d2lattn import attention

TABLE = calls.table()
SITE = sysconfig.get_path("purelib")
READ_ONLY = {
    "xformers memory_efficient_attention",
    "flash-attn flash_attn_func",
    "torch varlen_attn",
    "MLX fast.scaled_dot_product_attention",
}
MANY = "(L, B, E)", "(B, L, E)"  # heads are slices of E


def drawn(*sizes, seed=0):
    return torch.randn(*sizes, generator=torch.Generator().manual_seed(seed))


def turned(x, order):
    """(B, H, L, D) into the axes that a call wants."""
    if order in MANY:
        x = x.transpose(1, 2).flatten(2)  # (B, L, E)
        return x.transpose(0, 1) if order == "(L, B, E)" else x
    return x.transpose(1, 2) if order == "(B, L, H, D)" else x


def turned_back(x, order, heads):
    if order in MANY:
        x = x.transpose(0, 1) if order == "(L, B, E)" else x
        return x.unflatten(-1, (heads, -1)).transpose(1, 2)
    return x.transpose(1, 2) if order == "(B, L, H, D)" else x


def asked(name, q, k, v, **options):
    """The call `name` on (B, H, L, D), in the order of axes that the table states."""
    order = TABLE[name]["order of axes"].split(" in, ")[0]
    out = TABLE[name]["order of axes"].split(" in, ")[-1].removesuffix(" out")
    given = [turned(x, order) for x in (q, k, v)]
    return turned_back(CALLS[name](*given, **options), out, q.shape[1]).detach()


def weights(name, n_queries, n_keys, **options):
    """(L, S): each key's value is a channel of its own, so an output shows its weights."""
    q, k = drawn(1, HEADS, n_queries, n_keys), drawn(1, HEADS, n_keys, n_keys, seed=1)
    v = torch.eye(n_keys).expand(1, HEADS, n_keys, n_keys)
    return asked(name, q, k, v, **options)[0, 0]


def seen(row):
    return (row > 1e-6).nonzero().flatten().tolist()


@pytest.fixture(params=CALLS)
def name(request):
    return request.param


def test_the_table_has_the_calls_that_run_here_and_those_that_were_read():
    assert set(TABLE) == set(CALLS) | READ_ONLY


def test_order_of_axes(name):
    sizes = (2, HEADS, 5, 8), (2, HEADS, 7, 8), (2, HEADS, 7, 8)
    q, k, v = (drawn(*size, seed=i) for i, size in enumerate(sizes))
    torch.testing.assert_close(asked(name, q, k, v), attention(q, k, v), atol=1e-5, rtol=0)


def test_the_other_order_raises_nothing():
    """Heads and words exchanged, in all calls with four axes."""
    x = drawn(2, HEADS, 5, 8)
    for name, call in CALLS.items():
        order = TABLE[name]["order of axes"].split(" in, ")[0]
        if order not in MANY:
            other = "(B, L, H, D)" if order == "(B, H, L, D)" else "(B, H, L, D)"
            given = turned(x, other)
            assert call(given, given, given).numel() == x.numel()


def test_true_in_a_mask(name):
    mask = torch.tensor([False, True]).expand(1, 1, 2, 2)
    told = {(1,): "may attend", (0,): "is hidden"}[tuple(seen(weights(name, 2, 2, mask=mask)[0]))]
    assert TABLE[name]["True in a mask"] == told


def corner(row):
    return {1: "top left", 4: "bottom right"}[len(row)]


def test_causal_with_fewer_queries_than_keys(name):
    said = TABLE[name]["causal, L ≠ S"]
    if name == "torch nn.MultiheadAttention":
        assert said == "refused without a mask"
        with pytest.raises(RuntimeError, match="Need attn_mask if specifying the is_causal hint"):
            weights(name, 2, 5, causal=True)
    elif name == "d2lattn.attention":
        assert said == "refused without `query_offset`"
        with pytest.raises(ValueError, match="query_offset"):
            weights(name, 2, 5, causal=True)
    elif name == "torch flex_attention":
        assert said == "–, a function says"
        with pytest.raises(Absent):
            weights(name, 2, 5, causal=True)
    elif name == "transformers, a model":
        assert said == f"{cached_corner()}, by its cache"
    elif name == "ONNX Attention":
        q, k, v = drawn(1, 1, 2, 8), drawn(1, 1, 5, 8, seed=1), torch.eye(5, 8).view(1, 1, 5, 8)
        past = k[:, :, :3], v[:, :, :3]
        kept = onnx_attention(q, k[:, :, 3:], v[:, :, 3:], causal=True, past=past)[0, 0, 0]
        bare = corner(seen(weights(name, 2, 5, causal=True)[0]))
        assert said == f"{bare}; {corner(seen(kept))} with a cache"
    else:
        assert said == corner(seen(weights(name, 2, 5, causal=True)[0]))


@torch.no_grad()
def cached_corner():
    """Two words after three that are kept: are they what the whole text says of them?"""
    model, text = mistral(None), torch.arange(5)[None]
    kept = model(text[:, :3], use_cache=True).past_key_values
    two = model(text[:, 3:], past_key_values=kept).last_hidden_state
    whole = model(text).last_hidden_state[:, 3:]
    return "bottom right" if torch.allclose(two, whole, atol=1e-5) else "top left"


def test_mask_and_causal_at_once(name):
    said = TABLE[name]["mask and causal"]
    mask = torch.tensor([False, True, True]).expand(1, 1, 3, 3)
    if name == "torch nn.MultiheadAttention":
        x = drawn(3, 1, 24)
        hint = dict(mask=torch.zeros(1, 1, 3, 3, dtype=torch.bool), causal=True)  # hides nothing
        alone, obeyed = module(x, x, x, **hint), module(x, x, x, weights=False, **hint)
        of_word = x.view(1, 3, HEADS, 4).transpose(1, 2)
        full, causal = attention(of_word, of_word, of_word), of_word[:, :, 0]
        torch.testing.assert_close(turned_back(alone, "(L, B, E)", HEADS), full, atol=1e-5, rtol=0)
        first = turned_back(obeyed, "(L, B, E)", HEADS)[:, :, 0]
        torch.testing.assert_close(first, causal, atol=1e-5, rtol=0)
        assert said == "one of the two"
        return
    if name in ("torch flex_attention", "transformers, a model"):
        assert said == "–, one mask"
        with pytest.raises(Absent):
            weights(name, 3, 3, mask=mask, causal=True)
        return
    rows = weights(name, 3, 3, mask=mask, causal=True)
    assert seen(rows[1]) == [1] and seen(rows[2]) == [1, 2]
    if name != "torch scaled_dot_product_attention":
        assert said == "both hold"
        return
    assert said == "both hold or refused, by its kernel"
    x = drawn(1, 3, 8)  # without an axis of heads another kernel computes
    with pytest.raises(RuntimeError, match="attn_mask should not be set when is_causal=True"):
        CALLS[name](x, x, x, mask=mask[0], causal=True)


@torch.no_grad()
def window_of_a_model():
    """How many words move the last one of a model with a window of three."""
    model, text = mistral(3), torch.arange(9)[None]
    base = model(text).last_hidden_state[0, -1]
    moves = 0
    for word in range(9):
        other = text.clone()
        other[0, word] = 20
        moves += not torch.equal(model(other).last_hidden_state[0, -1], base)
    return moves


def test_a_window_counts_the_word_itself_or_the_others(name):
    said = TABLE[name]["a window of w"]
    if name == "transformers, a model":
        assert said == {3: "w with itself", 4: "w others"}[window_of_a_model()]
        return
    try:
        rows = weights(name, 9, 9, window=3)
    except Absent:
        assert said == "–"
        return
    assert seen(rows[-1])[-1] == 8
    assert said == {3: "w with itself", 4: "w others"}[len(seen(rows[-1]))]


def test_factor_of_the_scores(name):
    """Two keys, whose products with the query differ by 1: their weights tell the factor."""
    q = torch.zeros(1, HEADS, 1, 16)
    q[..., 0] = 1
    k = torch.zeros(1, HEADS, 2, 16)
    k[..., 1, 0] = 1
    v = torch.zeros(1, HEADS, 2, 16)
    v[..., 1, 0] = 1
    weight = asked(name, q, k, v)[0, 0, 0, 0].double()
    factor = (weight / (1 - weight)).log().item()
    assert abs(factor - 16**-0.5) < 1e-4 and TABLE[name]["factor"] == "1/√D"


def test_which_heads_of_keys_serve_which_queries(name):
    said = TABLE[name]["KV heads"]
    q, k = drawn(1, HEADS, 4, 8), drawn(1, 3, 4, 8, seed=1)
    v = torch.arange(3.0).view(1, 3, 1, 1).expand(1, 3, 4, 8)  # head 0 says 0, head 1 says 1, …
    try:
        read = asked(name, q, k, v)[0, :, 0, 0].round().int().tolist()
    except ValueError as error:
        assert name == "d2lattn.attention" and "broadcast" in str(error)
        assert said == "refused; the layer's neighbours share"
        return
    except Absent:
        assert name == "torch nn.MultiheadAttention" and said == "–"
        return
    assert read == [0, 0, 1, 1, 2, 2]
    assert said.startswith("neighbours share")


def test_torch_wants_its_switch_for_shared_heads():
    q, k = drawn(1, 6, 4, 8), drawn(1, 3, 4, 8)
    with pytest.raises(RuntimeError):
        torch.nn.functional.scaled_dot_product_attention(q, k, k)
    for name in ("torch scaled_dot_product_attention", "torch flex_attention"):
        assert TABLE[name]["KV heads"] == "neighbours share, with `enable_gqa`"


def test_dropout_when_nobody_trains(name):
    said = TABLE[name]["dropout, not training"]
    if name == "transformers, a model":
        with torch.no_grad():
            first, second = (mistral(None)(torch.arange(9)[None]).last_hidden_state for _ in "12")
    else:
        x = drawn(1, HEADS, 9, 8)
        try:
            first, second = (asked(name, x, x, x, dropout=0.5) for _ in "12")
        except Absent:
            assert said == "has none"
            return
    same = torch.equal(first, second)
    assert said.split(",")[0] == ("off" if same else "**on**")


def test_sinks(name):
    """A sink of logit s adds exp(s) under the softmax: scores of 0 and values of 1 show it."""
    said = TABLE[name]["sinks"]
    q, k = torch.zeros(1, HEADS, 1, 8), torch.zeros(1, HEADS, 4, 8)
    ones = torch.ones(1, HEADS, 4, 8)
    try:
        kept = asked(name, q, k, ones, sink=0)
    except Absent:
        assert said in ("–", "–, a switch of the layer")
        return
    assert torch.allclose(kept, torch.full_like(kept, 4 / 5))
    assert said in ("a zero key: `add_zero_attn`", "`sinks` of GPT-OSS")


def test_what_was_read_is_what_is_installed():
    for call, row in calls.read_at().items():
        if call in READ_ONLY:
            continue
        package, version = row["version"].split()
        assert metadata.version(package).split("+")[0] == version
        for part in row["file: what, in which line"].split(" · "):
            path, lines = re.fullmatch(r"`(.+)`: (.+)", part).groups()
            text = Path(SITE, path).read_text(encoding="utf-8").splitlines()
            for line in re.findall(r" (\d+)\b", re.sub(r";.*", "", lines)):
                assert text[int(line) - 1].strip(), f"{path}:{line} is empty"
