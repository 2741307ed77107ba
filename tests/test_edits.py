"""What a pass computes on its way, and what each edit makes of it: by the formula, written out
here, and for SmolLM2 by transformers (tools/make_references.py)."""

import functools
from pathlib import Path

import draws
import numpy as np
import pytest
import torch
from draws import generator

from d2lattn import (
    Cache,
    Decoder,
    Encoder,
    LatentAttention,
    apply_rotary,
    causal_mask,
    generate,
)
from d2lattn_book.real import edits, load, trace
from d2lattn_book.real.edits import SHOWN, Edit, edited, lens

STORED = Path(__file__).with_name("llama_reference.npz")
TOKENS = torch.tensor([[1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1]])
L = TOKENS.shape[1]


def decoder(**options):
    """Three layers with grouped queries, turned; weights large enough that all matters."""
    shape = dict(num_layers=3, num_heads=4, num_kv_heads=2, positions="rotary")
    model = Decoder(9, 16, **shape | options).eval().double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(3 if parameter.ndim > 1 else 1)
    return model


def by_hand(model, tokens, change=lambda place, layer, x: x):
    """The formula of `decoder()`, a loop over layers and heads; `change` at every place."""
    x, maps = model.embedding(tokens), []
    for n, block in enumerate(model.blocks):
        x = change("stream", n, x)
        layer, y = block.attention, block.attention_norm(x)
        q, k, v = (
            (y @ proj.weight.T + proj.bias).unflatten(-1, (-1, 4)).transpose(1, 2)
            for proj in (layer.q_proj, layer.k_proj, layer.v_proj)
        )
        rotate = change("rotation", n, apply_rotary)
        q, k = (rotate(part) if rotate else part for part in (q, k))
        q, k, v = change("query", n, q), change("key", n, k), change("value", n, v)
        seen = torch.ones(L, L, dtype=torch.bool).tril().expand(2, 4, L, L)
        seen, found = change("visible", n, seen), []
        for head in range(4):
            scores = q[:, head] @ k[:, head // 2].mT / 2  # √4
            weights = scores.masked_fill(~seen[:, head], -torch.inf).softmax(-1).nan_to_num()
            maps.append(weights)
            found.append(weights @ v[:, head // 2])
        found = change("heads", n, torch.stack(found, 1))
        joined = found.transpose(1, 2).flatten(-2) @ layer.out_proj.weight.T + layer.out_proj.bias
        x = x + change("from_attention", n, joined)
        x = x + change("from_mlp", n, block.mlp(block.mlp_norm(x)))
    x = change("stream", 3, x)
    return model.to_logits(model.norm(x)), torch.stack(maps).unflatten(0, (3, 4)).transpose(1, 2)


def assert_close(got, expected):
    draws.assert_close(got, expected, within=1e-9)


# What is kept -------------------------------------------------------------------------------------


@torch.no_grad()
def test_a_trace_is_the_formula():
    model, passed = decoder(), {}

    def keep(place, layer, x):
        passed.setdefault(place, []).append(x)
        return x

    logits, maps = by_hand(model, TOKENS, keep)
    seen = trace(model, TOKENS, keep=SHOWN)
    assert_close(seen.logits, logits)
    assert_close(seen.weights, maps)
    for name in ("stream", "heads", "from_attention", "from_mlp"):
        assert_close(getattr(seen, name), torch.stack(passed[name]))
    for n, block in enumerate(model.blocks):
        for head in range(4):
            columns = slice(4 * head, 4 * head + 4)
            alone = seen.heads[n, :, head] @ block.attention.out_proj.weight[:, columns].T
            assert_close(seen.from_heads[n, :, head], alone)
        assert_close(
            seen.from_heads[n].sum(1) + block.attention.out_proj.bias, seen.from_attention[n]
        )
    assert_close(lens(model, seen.stream[-1]), logits)
    with pytest.raises(AssertionError):
        assert_close(lens(model, seen.stream[1]), logits)


@torch.no_grad()
@pytest.mark.parametrize("layers", [[2, 0], [-1], [-3, 2]])
@pytest.mark.parametrize(("rows", "places"), [(slice(-2, None), [4, 5]), ([1, -1], [1, 5])])
def test_only_what_is_asked_for_is_kept(layers, rows, places):
    model = decoder()
    whole, part = (trace(model, TOKENS, keep=SHOWN, **chosen)
                   for chosen in ({}, dict(layers=layers, rows=rows)))  # fmt: skip
    assert_close(part.logits, whole.logits[:, places])
    for name in SHOWN:
        assert_close(getattr(part, name), getattr(whole, name)[layers][..., places, :])
    bare = trace(model, TOKENS, keep=())
    assert {name for name, x in vars(bare).items() if x is not None} == {"logits"}


def test_all_maps_of_a_long_text_are_refused_with_the_number():
    model = Decoder(9, 576, num_layers=30, num_heads=9, mlp_dim=8, positions="rotary")
    said = r"^keep must be at most 1,073,741,824 bytes, got 4,5\d\d,\d\d\d,\d\d\d:"
    with pytest.raises(ValueError, match=said):
        trace(model, torch.zeros(1, 2048, dtype=torch.int64), keep=["weights"])


@torch.no_grad()
@pytest.mark.parametrize(
    "model",
    [
        Encoder(9, 16, num_layers=2, num_heads=2),
        Decoder(9, 16, num_layers=2, num_heads=2, positions="alibi", window=2, sinks=1),
        Decoder(9, 16, num_layers=2, num_heads=2, attention=LatentAttention, latent_dim=5),
        Decoder(9, 16, num_layers=2, num_heads=2, gate=True, sink_logit=True, qk_norm=True),
        Decoder(9, 16, num_layers=2, num_heads=2, mlp_dim=0),
    ],
    ids=["encoder", "window", "latent", "gated", "no mlp"],
)
def test_every_model_is_seen(model):
    keep = [name for name in SHOWN if name != "from_mlp" or model.blocks[0].mlp is not None]
    seen = trace(model, TOKENS, keep=keep)
    model.eval()
    logits, weights = model(TOKENS, need_weights=True)
    draws.assert_close(seen.logits, logits, within=1e-6)
    draws.assert_close(seen.weights, weights, within=1e-6)
    bias = torch.stack([b.attention.out_proj.bias for b in model.blocks])[:, None, None]
    draws.assert_close(seen.from_heads.sum(2) + bias, seen.from_attention, within=1e-5)
    added = seen.from_attention + (0 if seen.from_mlp is None else seen.from_mlp)
    draws.assert_close(seen.stream[:-1] + added, seen.stream[1:], within=1e-5)


def test_the_model_is_as_it_was():
    model = Decoder(9, 16, num_layers=2, num_heads=2, dropout=0.5).train()
    model.blocks[1].eval()  # as who trains the other one alone
    modes = [part.training for part in model.modules()]
    trace(model, TOKENS, edits=[edits.hide(0)])
    generate(model, TOKENS, steps=2)
    assert [part.training for part in model.modules()] == modes and len(set(modes)) == 2
    with pytest.raises(RuntimeError), edited(model, edits.hide(0)):
        raise RuntimeError
    hooks = [m._forward_hooks or m._forward_pre_hooks for m in model.modules()]
    assert not any(hooks)


# The edits, by the formula ------------------------------------------------------------------------

OTHER = torch.randn(1, L, 16, generator=generator(), dtype=torch.float64)
MASK = causal_mask(L) | (torch.arange(L) == 3)


def hidden(x):
    x = x.clone()
    for row in range(L):
        for column in (0, 4):
            if row != column:
                x[..., row, column] = False
    return x


def put(x, index, value):
    x = x.clone()
    x[index] = value
    return x


EVERY = slice(None)
EDITS = {  # the edit, and what it does at each place (place, layer)
    "heads off": (
        edits.heads_off((1, 0), (2, 3), (1, 2)),
        lambda place, n, x: (
            put(x, (EVERY, {1: [0, 2], 2: [3]}[n]), 0) if place == "heads" and n else x
        ),
    ),
    "another mask": (
        edits.see(MASK, range(1, 3)),
        lambda place, n, x: MASK.expand_as(x) if place == "visible" and n > 0 else x,
    ),
    "hidden keys": (
        edits.hide(0, 4, layers=[0, 1]),
        lambda place, n, x: hidden(x) if place == "visible" and n < 2 else x,
    ),
    "values off": (
        edits.values_off(2, 5),
        lambda place, n, x: put(x, (EVERY, EVERY, [2, 5]), 0) if place == "value" else x,
    ),
    "scores times": (
        edits.scale_scores(0.3, [2]),
        lambda place, n, x: 0.3 * x if (place, n) == ("query", 2) else x,
    ),
    "not turned": (
        edits.turn(None, [0]),
        lambda place, n, x: None if (place, n) == ("rotation", 0) else x,
    ),
    "other places": (
        edits.turn(functools.partial(apply_rotary, positions=torch.tensor([9, 3, 0, 1, 7, 7]))),
        lambda place, n, x: (
            functools.partial(apply_rotary, positions=torch.tensor([9, 3, 0, 1, 7, 7]))
            if place == "rotation"
            else x
        ),
    ),
    "keys": (
        Edit("key", lambda x, layer: x.flip(2), [1]),
        lambda place, n, x: x.flip(2) if (place, n) == ("key", 1) else x,
    ),
}


@torch.no_grad()
@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_the_formula_with_that_change(name):
    model, (edit, change) = decoder(), EDITS[name]
    expected, _ = by_hand(model, TOKENS, change)
    assert_close(trace(model, TOKENS, edits=[edit]).logits, expected)
    with edited(model, edit):
        assert_close(model(TOKENS), expected)
    assert (model(TOKENS) - expected).abs().max() > 1e-3  # it changes something


@torch.no_grad()
def test_edits_are_made_in_their_order():
    model = decoder()
    plus = Edit("from_mlp", lambda x, n: x + OTHER, [0])
    twice = Edit("from_mlp", lambda x, n: 2 * x, [0])
    once, _ = by_hand(
        model, TOKENS, lambda p, n, x: 2 * (x + OTHER) if (p, n) == ("from_mlp", 0) else x
    )
    assert_close(trace(model, TOKENS, edits=[plus, twice]).logits, once)
    with pytest.raises(AssertionError):
        assert_close(trace(model, TOKENS, edits=[twice, plus]).logits, once)


@torch.no_grad()
def test_a_trace_shows_what_was_edited():
    model = decoder()
    seen = trace(model, TOKENS, keep=SHOWN, edits=[edits.hide(0), edits.heads_off((1, 2))])
    assert (seen.weights[..., 1:, 0] == 0).all() and (seen.weights[..., 0, 0] == 1).all()
    assert (seen.heads[1, :, 2] == 0).all() and (seen.from_heads[1, :, 2] == 0).all()


@torch.no_grad()
def test_an_edited_model_writes_with_its_cache():
    model = decoder()
    with edited(model, edits.heads_off((0, 1)), edits.values_off(1), edits.hide(0)):
        kept = generate(model, TOKENS[:, :3], steps=6, temperature=0)
        plain = generate(model, TOKENS[:, :3], steps=6, temperature=0, use_cache=False)
        cache = Cache(model, 2)
        parts = torch.cat([model(part, cache=cache) for part in TOKENS.split([2, 1, 3], 1)], 1)
        assert_close(parts, model(TOKENS))
    assert torch.equal(kept, plain)


def test_an_edited_model_learns():
    model = Decoder(9, 16, num_layers=2, num_heads=2)
    with edited(model, Edit("from_mlp", lambda x, layer: 0 * x, [1])):
        model(TOKENS).sum().backward()
    first, second = (block.mlp[0].weight.grad for block in model.blocks)
    assert first.abs().sum() > 0 and second.abs().sum() == 0


# The edits, by transformers -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def real():
    """(model, stored arrays)"""
    with np.load(STORED) as file:
        start = "real/"
        found = {n.removeprefix(start): file[n] for n in file if n.startswith(start)}
    model, _ = load()
    return model, {name: torch.from_numpy(x) for name, x in found.items()}


def real_edits(model, ids):
    """The edits of tools/make_references.py in our words."""
    length = ids.shape[1]
    i, j = torch.arange(length)[:, None], torch.arange(length)
    twice = functools.partial(apply_rotary, positions=2 * j, base=1e5)
    return {
        "plain": (),
        "heads_off": (edits.heads_off((3, 1), (16, 3), (16, 4)),),
        "see": (edits.see((j <= i) & (j > i - 8), range(10, 30)),),
        "hide": (edits.hide(0),),
        "values_off": (edits.values_off(0),),
        "scale_scores": (edits.scale_scores(0.5),),
        "turn": (edits.turn(None),),
        "places": (edits.turn(twice),),
    }


@torch.no_grad()
def test_every_edit_of_smollm2_is_that_of_transformers(real):
    model, stored = real
    made = real_edits(model, stored["ids"])
    assert {f"edits/{name}" for name in made} == {n for n in stored if n.startswith("edits/")}
    plain = stored["edits/plain"]
    for name, changes in made.items():
        logits = trace(model, stored["ids"], keep=(), edits=changes).logits[0]
        expected = stored[f"edits/{name}"]
        draws.assert_close(logits[1::4, stored["columns"]], expected, within=1e-4)
        if name != "plain":
            assert (expected - plain).abs().max() > 0.02, name


@torch.no_grad()
def test_a_trace_of_smollm2_is_that_of_transformers(real):
    model, stored = real
    keep = ("stream", "weights", "from_attention", "from_mlp")
    seen = trace(model, stored["ids"], keep=keep)
    got = dict(
        stream=seen.stream[:30:6, 0, -3:],
        weights=seen.weights[::6, 0, :, -2:],
        from_attention=seen.from_attention[::6, 0, -2:],
        from_mlp=seen.from_mlp[::6, 0, -2:],
    )
    for name, x in got.items():
        draws.assert_close(x, stored[f"seen/{name}"], within=1e-4)


# What is refused ----------------------------------------------------------------------------------


REFUSED = {  # what a trace is given, and what it says
    r"^keep must be a list, got": dict(keep="weights"),
    r"^keep must be one of": dict(keep=["maps"]),
    r"^layers must be an integer of at most 2, got 3": dict(keep=["weights"], layers=[3]),
    r"^layers must name some that have weights, got": dict(layers=[3]),
    r"^rows must be an integer of at most 5": dict(rows=[6]),
    r"^edits must be Edits, got 3": dict(edits=[3]),
    r"^need_weights is not for trace, which": dict(need_weights=True),
    r"^layers must be at most 2 for visible, got 3 of": dict(edits=[edits.hide(0, layers=[3])]),
    r"^head must be an integer of at most 3, got 4": dict(edits=[edits.heads_off((0, 4))]),
    r"^mask must broadcast to \(B, H, L, S\) = \(2, 4, 6": dict(edits=[edits.see(causal_mask(5))]),
    r"^columns must be an integer of at most 5, got 6": dict(edits=[edits.values_off(6)]),
    r"^columns must be .* got 7": dict(edits=[edits.hide(7)]),
    r"^change must keep the shape \(2, 4, 6, 4": dict(edits=[Edit("heads", lambda x, n: x[:, :2])]),
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_does_not_fit_is_named(said):
    with pytest.raises(ValueError, match=said):
        trace(decoder(), TOKENS, **REFUSED[said])


def test_heads_are_pairs():
    with pytest.raises(ValueError, match=r"^heads must be pairs \(layer, head\), each .*, got 3"):
        edits.heads_off(3)


@pytest.mark.parametrize(
    ("model", "said", "options"),
    [
        (decoder(mlp_dim=0), "^keep must name what all blocks have", dict(keep=["from_mlp"])),
        (
            Decoder(9, 16, num_layers=2, num_heads=2, attention=LatentAttention, latent_dim=5),
            r"^place='value' is for layers that project values",
            dict(edits=[edits.values_off(0)]),
        ),
    ],
)
def test_what_a_model_does_not_have_is_named(model, said, options):
    with pytest.raises(ValueError, match=said):
        trace(model, TOKENS, **options)
