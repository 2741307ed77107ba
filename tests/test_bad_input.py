"""Bad input: a ValueError that names the argument, the rule and what was got.

TABLE holds valid calls of the package, by keywords; VALUES what an argument of a name usually is.
What is wrong for an argument follows from its annotation and, for a tensor, from the valid one
(`wrong_values`): sizes, numbers out of range, unknown choices and tensors of another shape or
dtype, which people do give. A wrong type is Python's or torch's own error. What is wrong by more
than its kind stands in `more`, and what is wrong elsewhere and right here in `fine`, which is
tried, too. A case is a call and one kind of argument. By hand, in RELATIONS: arguments that do not
fit each other.
"""

import functools
import inspect
import math
import re
import types
import typing

import pytest
import torch
from torch import Tensor, nn

import d2lattn as d
from d2lattn.multihead import MultiHeadAttention
from d2lattn.transformer import plain_block

NAN, INF = math.nan, math.inf

# What is wrong for a kind of argument -------------------------------------------------------------

COUNTS, NUMBERS = [2.0, -1, 0], [NAN, -INF]
BEYOND = {  # the nearest values past the end of what may be, by name
    **{name: [-0.1, 1.1] for name in ("dropout", "dropout_p", "top_p", "min_p")},
    **{name: [-0.5] for name in ("temperature",)},
    **dict(base=[1, 0.5], top_k=[99]),
}
# What is right for an argument of this name, wherever it stands, as in `Call.fine`.
FINE = dict.fromkeys(("offset", "sinks", "seed", "rope_dim"), "0")
FINE |= dict(attn_bias="float64")


def no_tensor(x):
    """What is wrong where the tensor x is right: of another kind, dtype or shape."""
    if x.is_floating_point():
        given = {"float64": x.double(), "integers": x.long()}
        return given | {"vector": x.flatten()[:4], "wider": torch.cat([x, x], -1)}
    if x.dtype == torch.bool:
        return {"floats": x.float(), "flat": x[0], "wider": torch.cat([x, x], -1)}
    return {"floats": x.float(), "negative": x - 99, "less": x[0], "more": x[None]}


def no_lengths(lengths):
    """What is wrong where these lengths of n sequences are right."""
    n = len(lengths)
    return dict(floats=[1.0] * n, negative=[-1] * n, long=[99] * n, one=3, more=[*lengths, 1])


COUNT = r"^{} must be an integer of at (least|most) .*, got "
NUMBER = r"^{} must be (a finite number|a number above 0|above [01]).*, got "
NAMED = r"^(\w+(, | and | ))*{}\b[^,]* must .*got\b"  # whatever the rule
BLAMED = r"\b{}\b.* got "  # by its dtype another argument may be the one that does not fit


def wrong_values(parameter, valid):
    """What kind of argument it is, what is wrong for it by label, and what the message says."""
    name, annotation = parameter.name, parameter.annotation
    union = typing.get_origin(annotation) in (typing.Union, types.UnionType)
    parts = typing.get_args(annotation) if union else (annotation,)
    kinds = (
        ("count", int in parts and str not in parts, COUNTS, COUNT),
        ("number", float in parts, NUMBERS, NUMBER),
        ("choice", str in parts and torch.device not in parts, ["another"], NAMED),
        ("lengths", list[int] in parts and Tensor in parts, no_lengths, NAMED),
        ("tensor", Tensor in parts and torch.is_tensor(valid), no_tensor, NAMED),
        ("another type", True, [], NAMED),
    )
    kind, wrong, rule = next((kind, wrong, rule) for kind, is_it, wrong, rule in kinds if is_it)
    if callable(wrong):
        return kind, wrong(valid), rule
    return kind, {repr(value): value for value in [*wrong, *BEYOND.get(name, [])]}, rule


class Call(typing.NamedTuple):
    """A valid call, and what is tried on it.

    more: further wrong values of an argument, a list, or that and the message. fine: labels of what
    is right here. only: the arguments that are tried; all when absent.
    """

    function: typing.Callable
    given: dict
    more: dict
    fine: dict
    only: str

    @property
    def name(self):
        method = inspect.ismethod(self.function)
        owner = f"{type(self.function.__self__).__name__}." if method else ""
        return owner + self.function.__name__

    def parameters(self):
        """Those that are tried; what is passed on is annotated where it is passed to."""
        own = inspect.signature(self.function).parameters
        for name in self.only.split() or dict.fromkeys([*self.given, *self.more]):
            known = (f[name] for f in (own, *PASSED_ON) if name in f)
            known = [
                parameter for parameter in known if parameter.annotation is not parameter.empty
            ]
            yield known[0] if known else inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)

    def cases(self):
        """Kind -> [(argument, value, message, or none where it is fine)]."""
        found = {}
        for parameter in self.parameters():
            name, more = parameter.name, self.more.get(parameter.name, [])
            kind, wrong, rule = "more", {}, NAMED
            if name in self.given:
                kind, wrong, rule = wrong_values(parameter, self.given[name])
            fine = self.fine.get(name, FINE.get(name, "")).split()
            rows = found.setdefault(kind, [])
            for label, value in wrong.items():
                if label in ("float64", "integers") and "own" in fine:  # torch names the dtypes
                    continue
                message = (BLAMED if label == "float64" else rule).format(name)
                rows.append((name, value, "" if label in fine else message))
            values, said = more if isinstance(more, tuple) else (more, NAMED)
            rows += [(name, value, said.format(name)) for value in values]
        return {kind: rows for kind, rows in found.items() if rows}


def valid(function, /, *, more=None, fine=None, only="", **given):
    """With the usual value of what is not given; `...` leaves it out."""
    for name, parameter in inspect.signature(function).parameters.items():
        if name in VALUES and (not only or parameter.default is parameter.empty):
            given.setdefault(name, VALUES[name])
    given = {name: value for name, value in given.items() if value is not ...}
    return Call(function, given, more or {}, fine or {}, only)


# Valid calls --------------------------------------------------------------------------------------


def model(vocab_size=7, embed_dim=8, *, num_layers=2, num_heads=2, **options):
    return d.Decoder(vocab_size, embed_dim, num_layers=num_layers, num_heads=num_heads, **options)


def latent(**options):
    return d.LatentAttention(6, 3, latent_dim=3, **options)


Q, K, V = torch.zeros(2, 3, 5, 4), torch.zeros(2, 3, 7, 4), torch.zeros(2, 3, 7, 6)
MASK, X = torch.ones(5, 7).bool(), torch.zeros(2, 5, 6)
FIVE, ONES, FOURS = torch.arange(5), torch.ones(5), torch.zeros(4, 4)
WORDS = torch.tensor([[1, 2, 6, 0, 1], [0, 3, 3, 1, 2]])
MHA, MODEL, BLOCK = MultiHeadAttention(6, 3), model(), plain_block(6, 3)
READER, FROZEN = d.Encoder(7, 8, num_layers=2, num_heads=2), model().requires_grad_(False)
FREE, LAYER = model(positions="rotary", window=2), nn.Linear(4, 4)
RING, MODEL_RING = d.ring_parallel(MHA), d.ring_parallel(MODEL)
VALUES = (
    dict(query=Q, key=Q, value=Q, qk=Q, scale=1.0, is_causal=True, engine="fused", x=X)
    | dict(attn_mask=MASK[:, :5], attn_bias=torch.zeros(5, 5), valid_lens=[1, 3])
    | dict(chunk_size=2, dropout_p=0.0, L=3, S=3, width=2, max_len=4, tokens=WORDS, model=MODEL)
    | dict(length=3, dim=4, base=9.0, offset=0, positions=FIVE, delta=1.0)
    | dict(embed_dim=6, num_heads=3, num_kv_heads=1, dropout=0.0, head_dim=2, value_dim=2)
    | dict(qdim=6, kdim=6, vdim=6, latent_dim=3, rope_dim=2, mlp_dim=4)
    | dict(vocab_size=7, num_layers=1, seed=0, window=3, sinks=1)
    | dict(temperature=1.0, top_k=2, top_p=0.9, min_p=0.1, steps=1, every=1, batch_size=1)
    | dict(num_buckets=2, num_rounds=1, beta=ONES, decay=ONES)
)
PASSED_TO = (plain_block, MultiHeadAttention, MHA.forward, d.LatentAttention, MODEL.forward)
PASSED_ON = [
    inspect.signature(function).parameters
    for function in (*PASSED_TO, d.ring_attention, d.SelfAttention.forward)
]
ALONE = "float64 wider"  # nothing else says how wide, how precise and where
NO_TOKENS = [WORDS.int(), WORDS[:, :0], WORDS + 1]
NO_GATES = [-ONES, NAN * ONES]
NO_STATES = [torch.zeros(5, 4, 4), torch.zeros(1, 2, 3, 4, 4)]
NO_LAYERS = [LAYER, latent(), READER, None]
NO_LOGITS = [torch.tensor(row) for row in ([0, NAN], [0, INF], [-INF, -INF])]
NO_CACHES = [d.Cache(FROZEN, 1), d.Cache(FROZEN, 2, max_len=2)]
STREAM = model(window=3, sinks=1).requires_grad_(False)
OF_OTHERS = [d.Cache(model(**more), 2) for more in ({}, dict(window=3), dict(window=2, sinks=1))]
PARTS = dict(positions="sinusoidal", mlp_dim=4, dropout=0.0, num_kv_heads=1)
PARTS |= dict(more=dict(num_heads=[None]), fine=dict(mlp_dim="0"))
READ = dict(tokens=NO_TOKENS)
ANY_FLOAT = dict.fromkeys(("x", "query", "key", "value"), "own")

USUAL = "attention_scores attention_weights window_mask alibi_bias Rotary SelfAttention MLP"
USUAL += " LearnedPositionalEncoding GatedMLP"
TABLE = [
    *(valid(getattr(d, name)) for name in USUAL.split()),  # nothing but what is in VALUES
    # attention
    valid(d.masked_softmax, scores=Q, attn_mask=..., fine=dict(scores=ALONE)),
    valid(d.masked_softmax, scores=V, attn_mask=MASK[:1, :6], only="attn_mask"),
    valid(
        d.attention,
        **dict(key=K, value=V, attn_mask=MASK, attn_bias=torch.zeros(5, 7)),
        **dict(scale=1.0, dropout_p=0.0, engine="chunked", chunk_size=2),
        only="query key value attn_mask attn_bias scale dropout_p engine chunk_size",
        fine=dict(value="wider"),
        more=dict(attn_mask=[MASK.T], attn_bias=[torch.zeros(4, 5, 7)]),
    ),
    valid(d.partial_attention, fine=dict(value="wider")),
    valid(d.merge, outputs=[Q], logsumexps=[Q[..., 0]], more=dict(logsumexps=[[Q]])),
    # masks and positions
    valid(d.length_mask, fine=dict(valid_lens="more")),
    valid(d.causal_mask, align="top-left"),
    valid(d.sinusoidal_encoding, fine=dict(length="0")),
    valid(d.shift_matrix, more=dict(dim=[5])),
    valid(d.apply_rotary, fine=dict(x=ALONE), more=dict(x=[X[..., :5], X[..., :0]])),
    valid(d.PositionalEncoding, fine=dict(max_len="0")),
    valid(d.PositionalEncoding(6).forward, fine=dict(x="float64")),
    valid(d.LearnedPositionalEncoding(5, 6).forward, fine=dict(x="float64")),
    # layers
    valid(d.SelfAttention(6).forward, fine=ANY_FLOAT),
    valid(latent(rope_dim=2).project, fine=ANY_FLOAT),
    valid(MultiHeadAttention, head_dim=..., more=dict(num_kv_heads=[2, 6], num_heads=[4])),
    valid(MultiHeadAttention, head_dim=2, only="head_dim"),
    valid(MHA.forward, query=X, key=X, value=X, valid_lens=..., fine=ANY_FLOAT),
    valid(MHA.forward, query=X, valid_lens=[1, 2], only="valid_lens"),
    valid(MHA.project, query=X, key=X, value=X, fine=ANY_FLOAT),
    valid(d.LatentAttention, more=dict(num_heads=[4])),
    valid(
        latent(rope_dim=2).forward,
        more=dict(attn_mask=[torch.ones(3, 5, 5).bool()]),
        fine=ANY_FLOAT,
    ),
    # transformer
    valid(plain_block, attention=MultiHeadAttention, fine=dict(mlp_dim="0")),
    valid(d.Block, attention=MHA, mlp=d.MLP(6), dropout=...),
    valid(BLOCK.forward, attn_mask=VALUES["attn_mask"], fine=ANY_FLOAT),
    valid(d.Decoder, **PARTS),
    valid(d.Encoder, **PARTS),
    valid(
        d.Decoder,
        **dict(attention=d.LatentAttention, latent_dim=3, rope_dim=0, num_heads=2),
        only="attention latent_dim rope_dim",
    ),
    valid(MODEL.forward, more=READ),
    valid(READER.forward, more=READ),
    valid(
        FROZEN.forward,
        **dict(cache=d.Cache(FROZEN, 2), only="cache"),
        more=dict(cache=(NO_CACHES, "^cache (must|is) .*, got ")),
    ),
    valid(
        STREAM.forward,
        **dict(cache=d.Cache(STREAM, 2), only="cache"),
        more=dict(cache=(OF_OTHERS, "^cache must be made for this model, got ")),
    ),
    valid(
        MODEL.forward,
        **dict(segments=WORDS // 9, only="segments"),
        fine=dict(segments="negative floats"),
        more=dict(segments=[WORDS]),
    ),
    valid(d.Cache(FROZEN, 2).crop, length=0, fine=dict(length="0")),
    valid(d.Cache, more=dict(max_len=[513])),
    valid(d.Cache, model=FREE, only="batch_size"),
    valid(
        d.sample,
        **dict(logits=torch.zeros(2, 5), more=dict(logits=NO_LOGITS)),
        fine=dict(logits="float64 wider vector"),
    ),
    valid(
        d.generate,
        **dict(model=FREE, steps=1, fine=dict(steps="0")),
        more=dict(model=[READER, BLOCK, LAYER], tokens=[*NO_TOKENS, [[1, 2], [3]]]),
    ),
    valid(
        d.fit,
        model=model(),
        batches=lambda step: (WORDS, WORDS),
    ),
    # other kinds of attention
    valid(d.window_attention, fine=dict(value="wider")),
    valid(d.linear_attention, fine=dict(value="wider")),
    valid(d.lsh_attention, more=dict(num_buckets=[3]), only="num_buckets num_rounds"),
    valid(
        d.delta_attention,
        fine=dict(value="wider", beta="float64 integers", decay="float64 integers"),
        more=dict(beta=[*NO_GATES, 2.5 * ONES], decay=[*NO_GATES, 0 * ONES, 1.5 * ONES]),
    ),
    valid(d.delta_attention, state=FOURS, only="state", more=dict(state=NO_STATES)),
    # over ranks
    valid(
        d.ring_attention,
        fine=dict(value="wider"),
        more=dict(positions=[torch.tensor([0, 4, 4, 1, 2])]),
    ),
    valid(d.head_parallel, fine=dict(value="wider")),
    valid(d.ring_parallel, module=MHA, more=dict(module=NO_LAYERS)),
    valid(RING.forward, x=X, is_causal=True, positions=FIVE, fine=ANY_FLOAT),
    valid(MODEL_RING.forward, tokens=WORDS, positions=FIVE),
]

# What does not fit another argument, and what is said word for word -------------------------------


def misfit(message, function, *args, **given):
    return pytest.param(functools.partial(function, *args, **given), message, id=message[:40])


ROW = torch.ones(2, 3, 4)  # two heads, three words
OF_ALL = "(same leading axes and be of the same tokens|one row for each key), got "
LATENT = dict(attention=d.LatentAttention, latent_dim=3, num_heads=2)

RELATIONS = [
    misfit(OF_ALL, call, **dict(query=ROW, key=ROW, value=ROW) | {name: x})
    for call in (d.ring_attention, d.head_parallel)
    for name in ("query", "key", "value")
    for x in (torch.ones(2, 5, 4), ROW[:1], ROW[0])
]
RELATIONS += [
    misfit(f"^{name} must be left out with block", d.Decoder, 7, 6, **MADE, **{name: 2})
    for MADE in [dict(num_layers=1, block=lambda: BLOCK)]
    for name in ("num_heads", "mlp_dim", "num_kv_heads")
]
RELATIONS += [
    misfit("number of heads that 1 ranks divide", d.head_parallel, ROW[0], ROW[0], ROW[0]),
    misfit(
        "no row for the positions from 2 on, got a text up to position 2",
        d.ring_parallel(model(max_len=2)).forward,
        WORDS[:, :3],
    ),
    misfit("learned table of max_len=4 .* got positions 0 to 4", model(max_len=4), WORDS),
    misfit(
        '^chunk_size is for engine="chunked", got .*"fused"', d.attention, Q, Q, Q, chunk_size=2
    ),
    misfit("^sinks is for a window, got sinks=1 without", model, sinks=1),
    misfit("^rope_dim is for positions=", model, 7, 8, **LATENT, rope_dim=2),
    misfit("^rope_dim is for positions=", model, 7, 8, **LATENT, positions="rotary"),
    misfit(
        r"^the leading axes of query, key and value must broadcast, got \(2, 3, 4\) and ",
        d.lsh_attention,
        *(ROW, torch.ones(3, 3, 4)),
        **dict(num_buckets=2, num_rounds=1),
    ),
    misfit("^key must have as many rows as query, 5, got 7", d.delta_attention, Q, K, V, beta=ONES),
    misfit(
        "^the leading axes of query, key, value, beta must broadcast, got ",
        d.delta_attention,
        *(Q, Q, Q),
        beta=torch.ones(4, 5),
    ),
    misfit("align .*L=5, S=7.*top-left.*bottom-right", d.causal_mask, 5, 7),
    # Which axis of a mask or of lengths is which.
    misfit(r"attn_mask .*\(2, 5\); a mask \(B, S\)", MHA, X, attn_mask=MASK[:2, :5]),
    misfit(
        r"attn_mask must have shape .*\(3, 5, 5\)", MHA, X, attn_mask=MASK[:, :5].expand(3, 5, 5)
    ),
    misfit(r"valid_lens must have shape .* got \(2, 1\)", MHA, X, valid_lens=WORDS[:, :1]),
    misfit("is_causal=True needs as many", MHA, X, X[:, :3], X[:, :3], is_causal=True),
    misfit("attn_mask must be on meta", MHA, X.to("meta"), attn_mask=MASK[:, :5]),
]


# The tests ----------------------------------------------------------------------------------------


def answer(call, name, value, message):
    """What is amiss in the answer to this value of an argument; nothing is as it should be."""
    try:
        call.function(**call.given | {name: value})
    except Exception as error:  # of another kind than ValueError is amiss, too
        named = message and isinstance(error, ValueError) and re.search(message, str(error))
        return "" if named else f"{name}={value!r}: {error!r} does not match {message!r}"
    return f"{name}={value!r} is taken" if message else ""


@pytest.mark.parametrize("call", [pytest.param(call, id=call.name) for call in TABLE])
def test_a_valid_call_is_valid(call):
    try:
        call.function(**call.given)
    except TypeError as error:
        pytest.fail(f"{call.name} wants a line of TABLE, with all that it needs: {error}")


CASES = [
    pytest.param(call, rows, id=f"{call.name}, {kind}")
    for call in TABLE
    for kind, rows in call.cases().items()
]


@pytest.mark.parametrize(("call", "rows"), CASES)
def test_a_wrong_argument_is_named(call, rows):
    assert [amiss for row in rows if (amiss := answer(call, *row))] == []


@pytest.mark.parametrize(("call", "message"), RELATIONS)
def test_what_does_not_fit_is_said(call, message):
    with pytest.raises(ValueError, match=message):
        call()
