"""Bad input: a ValueError that names the argument, the rule and what was got.

TABLE holds valid calls, by keywords; VALUES what an argument of a name usually is. What is wrong
for an argument follows from its annotation and, for a tensor, from the valid one (`wrong_values`):
sizes, numbers out of range, unknown choices and tensors of another shape or dtype, which people do
give. A wrong type is Python's or torch's own error. What is wrong by more than its kind stands in
`more`, and what is wrong elsewhere and right here in `fine`, which is tried, too. A case is a call
and one kind of argument. By hand, in RELATIONS: arguments that do not fit each other.
"""

import functools
import inspect
import itertools
import math
import re
import types
import typing

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from test_every_drawing import DRAWINGS
from test_llama import CONFIGS, drawn
from torch import Tensor, nn

import d2lattn as d
from d2lattn.multihead import MultiHeadAttention
from d2lattn.transformer import plain_block
from d2lattn_book import cards, cluster, comparison, real
from d2lattn_book.language import own_text
from d2lattn_book.pictures import arrays, live, plots
from d2lattn_book.real import edits
from d2lattn_book.real.pretrained import packaged_file

NAN, INF = math.nan, math.inf

# What is wrong for a kind of argument -------------------------------------------------------------

COUNTS, NUMBERS = [2.0, -1, 0], [NAN, -INF]
WORDS_OF, REAL = ["the dog", 3, []], ["abc", [["a", "b"]], [[1.0], [1.0, 2.0]], [0.5j, 1, 0]]
BEYOND = {  # the nearest values past the end of what may be, by name
    **{name: [-0.1, 1.1] for name in ("dropout", "dropout_p", "top_p", "min_p")},
    **{name: [0, -1.5] for name in ("table", "vectors", "cell_size")},
    **{name: [-0.5] for name in ("temperature", "learning_rate", "weight_decay")},
    **dict(init_std=[-0.5], base=[1, 0.5], top_k=[99]),
}
# What is right for an argument of this name, wherever it stands, as in `Call.fine`.
FINE = dict.fromkeys(("offset", "sinks", "seed", "warmup", "rope_dim"), "0")
FINE |= dict(attn_bias="float64", query="1")


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


def labelled(values):
    return values if isinstance(values, dict) else {repr(value): value for value in values}


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
        ("numbers", set(typing.get_args(arrays.Numbers)) <= set(parts), REAL, NAMED),
        ("count", int in parts and str not in parts, COUNTS, COUNT),
        ("number", float in parts, NUMBERS, NUMBER),
        ("choice", str in parts and torch.device not in parts, ["another"], NAMED),
        ("words", arrays.Words in parts, WORDS_OF, NAMED),
        ("lengths", list[int] in parts and Tensor in parts, no_lengths, NAMED),
        ("tensor", Tensor in parts and torch.is_tensor(valid), no_tensor, NAMED),
        ("another type", True, [], NAMED),
    )
    kind, wrong, rule = next((kind, wrong, rule) for kind, is_it, wrong, rule in kinds if is_it)
    wrong = labelled(wrong(valid) if callable(wrong) else [*wrong, *BEYOND.get(name, [])])
    return kind, wrong, rule


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


# Whose arguments are all tried: of the package, and of what was taken out of it for the pages.
TRIED = ("d2lattn.", "d2lattn_book.cards", "d2lattn_book.comparison", "d2lattn_book.real")


def valid(function, /, *, more=None, fine=None, only="", **given):
    """With the usual value of what is not given; `...` leaves it out."""
    if function.__module__.startswith(TRIED):
        for name, parameter in inspect.signature(function).parameters.items():
            if name in VALUES and (not only or parameter.default is parameter.empty):
                given.setdefault(name, VALUES[name])
    given = {name: value for name, value in given.items() if value is not ...}
    return Call(function, given, more or {}, fine or {}, only)


# Valid calls --------------------------------------------------------------------------------------

OWN = "ab c" * 500


def model(vocab_size=7, embed_dim=8, *, num_layers=2, num_heads=2, **options):
    return d.Decoder(vocab_size, embed_dim, num_layers=num_layers, num_heads=num_heads, **options)


def latent(**options):
    return d.LatentAttention(6, 3, latent_dim=3, **options)


def gpt2(E=8):
    """The smallest state dict of a GPT-2."""
    wide = {"attn.c_attn": (E, 3 * E), "attn.c_proj": (E, E)}
    wide |= {"mlp.c_fc": (E, 4 * E), "mlp.c_proj": (4 * E, E)}
    state = {f"h.0.{name}.weight": torch.zeros(shape) for name, shape in wide.items()}
    state |= {f"h.0.{name}.bias": torch.zeros(shape[1]) for name, shape in wide.items()}
    norms = [f"{name}.{part}" for name in ("ln_f", "h.0.ln_1", "h.0.ln_2") for part in PART]
    state |= {name: torch.zeros(E) for name in norms}
    return state | {"wte.weight": torch.zeros(5, E), "wpe.weight": torch.zeros(4, E)}


PART = ("weight", "bias")
Q, K, V = torch.zeros(2, 3, 5, 4), torch.zeros(2, 3, 7, 4), torch.zeros(2, 3, 7, 6)
MASK, X = torch.ones(5, 7).bool(), torch.zeros(2, 5, 6)
FIVE, ONES, FOURS = torch.arange(5), torch.ones(5), torch.zeros(4, 4)
WORDS, STEP = torch.tensor([[1, 2, 6, 0, 1], [0, 3, 3, 1, 2]]), torch.eye(3, dtype=torch.bool)
MHA, MODEL, BLOCK = MultiHeadAttention(6, 3), model(), plain_block(6, 3)
READER, FROZEN = d.Encoder(7, 8, num_layers=2, num_heads=2), model().requires_grad_(False)
FREE, LAYER = model(positions="rotary", window=2), nn.Linear(4, 4)
RING, MODEL_RING = d.ring_parallel(MHA), d.ring_parallel(MODEL)
VALUES = (
    dict(query=Q, key=Q, value=Q, qk=Q, scale=1.0, is_causal=True, need_weights=True)
    | dict(attn_mask=MASK[:, :5], attn_bias=torch.zeros(5, 5), x=X)
    | dict(chunk_size=2, dropout_p=0.0, L=3, S=3, width=2, device="cpu", max_len=4)
    | dict(length=3, dim=4, base=9.0, offset=0, dtype=torch.float32, positions=FIVE)
    | dict(embed_dim=6, num_heads=3, num_kv_heads=1, dropout=0.0, bias=True, interleaved=False)
    | dict(head_dim=2, value_dim=2, qdim=6, kdim=6, vdim=6, qk_norm=True, gate=True)
    | dict(sink_logit=True, latent_dim=3, rope_dim=2, mlp_dim=4, vocab_size=7, num_layers=1, seed=0)
    | dict(norm=nn.LayerNorm, window=3, sinks=1, tied=False, init_std=0.1, tokens=WORDS)
    | dict(valid_lens=[1, 3], generator=torch.Generator(), temperature=1.0, top_k=2, steps=1)
    | dict(top_p=0.9, min_p=0.1)
    | dict(rotate=nn.Identity(), use_cache=True)
    | dict(learning_rate=0.1, warmup=0, weight_decay=0.0, every=1)
    | dict(batch_size=1, num_buckets=2, num_rounds=1, top=1, beta=ONES)
    | dict(decay=ONES, need_state=False, group=d.Ranks(), n=5, d=4, k=3, kernel_size=3)
    | dict(dilated=False, causal=False, dilation=1, cell="rnn", projections=True, samples=4)
    | dict(layer=LAYER, delta=1.0, absorbed=False, model=MODEL, engine="fused")
)
PASSED_TO = (plain_block, MultiHeadAttention, MHA.forward, d.LatentAttention, MODEL.forward)
PASSED_ON = [
    inspect.signature(function).parameters
    for function in (*PASSED_TO, d.ring_attention, d.SelfAttention.forward, plots.heatmap)
]
ALONE = "float64 wider"  # nothing else says how wide, how precise and where
NO_UNIT = [(2, 0), (1, 9), (1.0, 2.0), 1, "11"], r"^unit must be \(0\.\.1, 0\.\.\d\), got "
NO_STEP = [[torch.eye(3)], [torch.ones(3, 2).bool()], [STEP, STEP[:2, :2]], [STEP[0]], 3, []]
NO_STEP = NO_STEP, r"^steps must (be|hold) .*, got "
WITHIN = r"^within must be boolean \(\d, \d\) tensors, got "
NOT_WITHIN = [STEP[:2, :2], torch.eye(3)], WITHIN
NO_RESULTS = [lambda x: None, lambda x: (3,), lambda x: x[:, 1:], torch.zeros_like]
NO_TOKENS = [WORDS.int(), WORDS[:, :0], WORDS + 1]
NO_GATES = [-ONES, NAN * ONES]
NO_STATES = [torch.zeros(5, 4, 4), torch.zeros(1, 2, 3, 4, 4)]
NO_LAYERS = [LAYER, latent(), READER, None]
NO_LOGITS = [torch.tensor(row) for row in ([0, NAN], [0, INF], [-INF, -INF])]
NO_CACHES = [d.Cache(FROZEN, 1), d.Cache(FROZEN, 2, max_len=2)]
SMALL_CARD = dict(num_hidden_layers=2, hidden_size=8, num_attention_heads=2)
PARTS = dict(
    positions="sinusoidal", init_std=..., mlp_dim=4, bias=True, dropout=0.0, num_kv_heads=1
)
PARTS |= dict(more=dict(num_heads=[None]), fine=dict(mlp_dim="0"))
READ = dict(tokens=NO_TOKENS)
WRITE = dict(model=FREE, steps=1, fine=dict(steps="0"))
WRITE |= dict(more=dict(model=[READER, BLOCK], tokens=NO_TOKENS))
LOOK = dict(model=MODEL, tokens=WORDS, keep=["weights"], layers=[0], heads=[1], rows=[0, -1])
ANY_MASK = "wider flat scalar"  # as ANY
ANY = f"{ALONE} vector scalar"  # it is held to a model when that reads
NO_LAYER_NAMED = dict(layers=[0], fine=dict(layers="[]"))
ANY_FLOAT = dict.fromkeys(("x", "query", "key", "value"), "own")
HASH = dict(more=dict(num_buckets=[3]), only="num_buckets num_rounds")
INSIDE = ("is_causal", "attn_mask")

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
    valid(
        d.merge,
        **dict(outputs=[Q], logsumexps=[Q[..., 0]]),
        more=dict(logsumexps=[[Q]]),
    ),
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
    valid(
        plain_block,
        **dict(attention=MultiHeadAttention, num_kv_heads=1, qk_norm=True, gate=True),
        **dict(sink_logit=True, fine=dict(mlp_dim="0")),
    ),
    valid(d.Block, attention=MHA, mlp=d.MLP(6), dropout=...),
    valid(BLOCK.forward, **{name: VALUES[name] for name in INSIDE}, fine=ANY_FLOAT),
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
        MODEL.forward,
        **dict(segments=WORDS // 9, only="segments"),
        fine=dict(segments="negative floats"),
    ),
    valid(d.Cache(FROZEN, 2).crop, length=0, fine=dict(length="0")),
    valid(d.Cache, more=dict(max_len=[513])),
    valid(d.Cache, model=FREE, only="batch_size"),
    valid(
        d.sample,
        **dict(logits=torch.zeros(2, 5), more=dict(logits=NO_LOGITS)),
        fine=dict(logits="float64 wider vector"),
    ),
    valid(d.generate, **WRITE),
    valid(
        d.fit,
        **dict(model=model(), batches=lambda step: (WORDS, WORDS)),
        **dict(learning_rate=..., weight_decay=..., warmup=...),
    ),
    # other kinds of attention
    valid(d.window_attention, fine=dict(value="wider")),
    valid(d.linear_attention, fine=dict(value="wider")),
    valid(d.lsh_attention, **HASH),
    valid(
        d.delta_attention,
        fine=dict(value="wider", beta="float64 integers", decay="float64 integers"),
        more=dict(beta=[*NO_GATES, 2.5 * ONES], decay=[*NO_GATES, 0 * ONES, 1.5 * ONES]),
    ),
    valid(d.delta_attention, state=FOURS, only="state", more=dict(state=NO_STATES)),
    # over ranks
    valid(d.Ranks, group=None),
    valid(
        d.ring_attention,
        fine=dict(value="wider"),
        more=dict(positions=[torch.tensor([0, 4, 4, 1, 2])]),
    ),
    valid(d.head_parallel, fine=dict(value="wider")),
    valid(d.ring_parallel, module=MHA, more=dict(module=NO_LAYERS)),
    valid(RING.forward, x=X, is_causal=True, positions=FIVE, fine=ANY_FLOAT),
    valid(MODEL_RING.forward, tokens=WORDS, positions=FIVE),
    # other libraries
    valid(d.from_torch, mha=nn.MultiheadAttention(4, 2), more=dict(mha=[MHA])),
    valid(
        d.from_d2l,
        mha=types.SimpleNamespace(
            **dict.fromkeys(("W_q", "W_k", "W_v", "W_o"), LAYER),
            **dict(num_heads=2, training=False),
            attention=types.SimpleNamespace(dropout=nn.Dropout(0.0)),
        ),
        more=dict(mha=[MHA]),
    ),
    valid(real.from_gpt2, source=gpt2(), num_heads=2, more=dict(source=[MODEL, {}])),
    valid(
        real.from_llama,
        **dict(source=drawn(CONFIGS[0], tied=True), config=CONFIGS[0]),
        more=dict(source=["nowhere.gguf", MODEL, {}], config=[{}]),
    ),
    valid(real.load, path=str(packaged_file()), more=dict(path=[8])),
    valid(
        cards.cache_bytes,
        **dict(config=SMALL_CARD, tokens=5, bytes_per_number=1.5),
        more=dict(config=["nowhere.json", {}], bytes_per_number=[{"keys": -1}, {"key": 2}]),
    ),
    # inside a model
    valid(edits.edited),
    valid(real.trace, **LOOK, edits=[], limit=10**6, fine=dict(edits="[]", keep="[]")),
    valid(edits.trace_size, **LOOK, fine=dict(keep="[]")),
    valid(edits.lens, x=torch.zeros(2, 3, 8), fine=ANY_FLOAT),
    valid(edits.Edit, place="heads", change=nn.Identity(), **NO_LAYER_NAMED),
    valid(edits.heads_off, means=torch.zeros(2, 2, 4), fine=dict(means=ANY)),
    valid(edits.hide, **NO_LAYER_NAMED),
    valid(edits.values_off, **NO_LAYER_NAMED),
    valid(edits.see, mask=STEP, layers=[0], fine=dict(layers="[]", mask=ANY_MASK)),
    valid(edits.scale_scores, factor=0.5, **NO_LAYER_NAMED),
    valid(edits.turn, rotate=nn.Identity(), **NO_LAYER_NAMED),
    valid(
        edits.patch,
        **dict(stream=torch.zeros(1, 3, 8), layer=1, columns=[0]),
        fine=dict(stream=ANY, layer="0", columns="[]"),
    ),
    # a text of one's own
    valid(own_text.read, path=str(own_text.STORED), more=dict(path=[8, "nowhere.txt"])),
    valid(own_text.split, text=OWN, more=dict(text=[8])),
    valid(own_text.count, text=OWN, order=2, more=dict(text=[8])),
    # what a layer costs
    valid(comparison.ConvLayer),
    valid(comparison.rnn_cost),
    valid(comparison.attention_cost),
    valid(comparison.layers_to_connect),
    valid(comparison.conv_cost, more=dict(k=[2])),
    valid(comparison.ConvLayer(6, 3).forward, fine=ANY_FLOAT, more=dict(x=[X[0]])),
    valid(comparison.connectivity, more=dict(layer=NO_RESULTS)),
    valid(comparison.count_layers, steps=[STEP], more=dict(steps=NO_STEP)),
    valid(
        comparison.receptive_field,
        **dict(steps=[STEP], unit=(1, 2), within=STEP),
        more=dict(steps=NO_STEP, unit=NO_UNIT, within=NOT_WITHIN),
    ),
]

# Pictures and costs of the book: who asks, and what is no Axes, is refused alike (tests/pictures)

COST = dict(machine=cluster.Machine(1e12, 1e11, 1e-6), layer=cluster.Layer(4096, 32, 8, 128))
SENT = dict(ranks=8, is_causal=True)
NO_COST = dict(machine=[(1.0, 1.0, 0.0), COST["layer"]], layer=[COST["machine"]])
CROSS = np.array([[0.1, 0.7, 0.2], [0.6, 0.3, 0.1]])
THIRDS, ONE = np.full((1, 3, 3), 1 / 3), np.eye(2)
NO_WEIGHTS = [[0.5, 0.5], [1.0, 0.5, 0.5], [1.5, -0.5, 0.0], [NAN, 0.5, 0.5]]
NO_PLACES = [np.ones((3, 3)), [1, 2, 3], [["x", "y"]] * 3, [[0, 0], [1, NAN], [3, 1]]]
OF_EACH = [*NO_PLACES, np.ones((2, 2))]  # a row is missing
NO_NAMES = [list("abcd"), ["a"], "ab", -1]
NO_PAIRS = [[1], (1, 2, 3), (1, NAN), "ab"]
# What a drawing refuses by more than the kind of its arguments; `weights` of another shape apart.
MORE = {
    "weighted_average": dict(x=OF_EACH, weights=NO_WEIGHTS),
    "columns": dict(P=[1.0, [1.0], np.ones((0, 3))], which=[[3], -1, [0.5], [], [[0], [0, 1]]]),
    "cross_attention": dict(weights=[CROSS.T, 2 * CROSS, CROSS - 0.2, CROSS * NAN]),
    "flow": dict(weights=NO_WEIGHTS, scores=[[1.0]]),
    "heatmap": dict(matrix=[1.0, [1.0], np.ones((2, 2, 2)), np.ones((0, 3))], fmt=["%.2f", "d"])
    | dict(tokens=NO_NAMES),
    "induction": dict(words=[list("CAB"), list("ACABA")]),
    "kept": dict(rope_dim=[17], num_kv_heads=[3]),
    "layer_lines": dict(x=[[], ONE, ["a", "b"]], series=[{}, "ab", {"MLP": [1, 2]}, {"RNN": [1]}]),
    "lines": dict(x=[[], ONE, ["a", "b"]], series=[{}, [[1, 2]], "ab"]),
    "model_map": dict(chapter=[13]),
    "network": dict(steps=NO_STEP, unit=NO_UNIT, within=([ONE], WITHIN)),
    "single_output": dict(
        words=[list("abcdefg")], x=[[[0, 1]], np.eye(2, 4)], w_k=[np.ones((4, 2))]
    )
    | dict(w_q=[np.eye(3), np.ones((1, 2))], w_v=[np.ones((0, 2))]),
    "projections": dict(head_dim=[101]),
    "weight_lines": dict(x=OF_EACH, weights=NO_WEIGHTS, around=NO_PLACES),
    "shadows": dict(x=OF_EACH, query=["a"]),
    "shared_heads": dict(num_kv_heads=[4, 16]),
    "split_and_join": dict(weights=[np.eye(2)[None], 2 * THIRDS, -THIRDS, NAN * THIRDS]),
    "staircase": dict(sentence=[["the"]]),
    "stretching_fractions": dict(lengths=[[2], [5.0]]),
    "turning_arrows": dict(query=[*NO_PAIRS, (0, 0)], key=[*NO_PAIRS, (0, 0)], positions=NO_PAIRS),
    "word_map": dict(x=OF_EACH, query=[[3], 1.5], output=[["a", "cat"]], outline=[["a", "cat"]]),
}
FINE_THERE = {"flow": dict(output="'another'"), "word_map": dict(output="1", outline="[]")}


def drawing(name, draw):
    """A valid call as tests/pictures draw it."""
    given = inspect.signature(draw.func).bind_partial(*draw.args, **draw.keywords).arguments
    return valid(draw.func, more=MORE.get(name), fine=FINE_THERE.get(name), **given)


BOOK = [
    valid(cluster.ring_cost, **COST, **SENT, split="striped", overlap=True, more=NO_COST),
    valid(cluster.heads_cost, **COST, **SENT, more=NO_COST),
    valid(cluster.both_cost, **COST, **SENT, heads_over=8, more=NO_COST),
    *itertools.starmap(drawing, DRAWINGS.items()),
    valid(
        plots.heatmap,
        **dict(matrix=ONE, vmin=0.0, vmax=1.0, center=0.5, cmap="viridis", fmt=".2f"),
        **dict(annot=True, cbar=True, square=True, xticklabels=["a", "b"], yticklabels=["a", "b"]),
        **dict(fine=dict(xticklabels="3", yticklabels="3")),
        more=dict(xticklabels=NO_NAMES, yticklabels=NO_NAMES),
    ),
    valid(
        plots.heatmaps,
        **dict(stack=np.ones((2, 2, 2)), titles=["a", "b"], tokens=["a", "b"], columns=2),
        **dict(cell_size=2.0, cbar=True, vmin=0.0),
    ),
    valid(plots.lines, x=[1], series={"a": [1]}, markers=False, xscale="log", yscale="linear"),
    valid(plots.describe, ax=plots.heatmap(ONE), more=dict(ax=[ONE, plt.subplots()[1]])),
    valid(live.attention, x=np.eye(3), tokens=list("abc")),
    valid(live.heads, weights=np.eye(3)[None], tokens=list("abc")),
    valid(
        live.cache,
        **dict(tokens=["a", "b"], kinds=["full", "latent"], num_heads=8, num_kv_heads=2, window=4),
        **dict(head_dim=16, latent_dim=32, rope_dim=8, sinks=1, num_layers=1, step=1, kind="full"),
        **dict(dtype=torch.float32, fine=dict(kind="1")),
    ),
    valid(
        live.ring,
        **dict(ranks=4, block_size=4, causal=True, split="contiguous", step=0),
        fine=dict(step="0"),
    ),
]
plt.close("all")

# What does not fit another argument, and what is said word for word -------------------------------


def misfit(message, function, *args, **given):
    call = functools.partial(function, *args, **given)
    return pytest.param(call, message, id=f"{function.__qualname__}: {message[:30]}")


ROW = torch.ones(2, 3, 4)  # two heads, three words
SPEEDS = [0, "1"], "a number above 0, got "
LATENCIES = [-1, NAN], "a finite number of at least 0, got "
OF_ALL = "(same leading axes and be of the same tokens|one row for each key), got "
MADE = dict(num_layers=1, block=lambda: BLOCK)

RELATIONS = [
    misfit(f"^{name} must be {rule}", call, **COST | dict(machine=machine), ranks=8)
    for call in (cluster.ring_cost, cluster.heads_cost, cluster.both_cost)
    for name, (values, rule) in dict(flops=SPEEDS, bandwidth=SPEEDS, latency=LATENCIES).items()
    for machine in [COST["machine"]._replace(**{name: value}) for value in values]
]
RELATIONS += [
    misfit(OF_ALL, call, **dict(query=ROW, key=ROW, value=ROW) | {name: x})
    for call in (d.ring_attention, d.head_parallel)
    for name in ("query", "key", "value")
    for x in (torch.ones(2, 5, 4), ROW[:1], ROW[0])
]
RELATIONS += [
    misfit(f"^{name} must be left out with block", d.Decoder, 7, 6, **MADE, **{name: 2})
    for name in ("num_heads", "mlp_dim", "num_kv_heads")
]
RELATIONS += [
    # over ranks
    misfit(
        "^ranks must be a multiple of heads_over, 8, got 12", cluster.both_cost, **COST, ranks=12
    ),
    misfit("number of heads that 1 ranks divide", d.head_parallel, ROW[0], ROW[0], ROW[0]),
    misfit(
        "no row for the positions from 2 on, got a text up to position 2",
        d.ring_parallel(model(max_len=2)).forward,
        WORDS[:, :3],
    ),
    # positions
    # tensors of one call
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
    # pictures
    misfit("^vmax must be above vmin", plots.heatmap, ONE, vmin=1, vmax=1),
    misfit("^vmax must be above vmin = 2.0, got 1.0", plots.heatmap, [[True]], vmin=2, vmax=1),
    misfit("^vmax must be above vmin", plots.heatmaps, ONE[None], vmin=2, vmax=1),
    misfit("^the figure must have", plots.describe, plt.figure()),
    misfit("^values must hold numbers that numpy takes", arrays.to_numpy, [[1], [1, 2]]),
]


# The tests ----------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def answer(call, name, value, message):
    """What is amiss in the answer to this value of an argument; nothing is as it should be."""
    try:
        call.function(**call.given | {name: value})
    except Exception as error:  # of another kind than ValueError is amiss, too
        named = message and isinstance(error, ValueError) and re.search(message, str(error))
        return "" if named else f"{name}={value!r}: {error!r} does not match {message!r}"
    return f"{name}={value!r} is taken" if message else ""


@pytest.mark.parametrize("call", [pytest.param(call, id=call.name) for call in TABLE + BOOK])
def test_a_valid_call_is_valid(call):
    try:
        call.function(**call.given)
    except TypeError as error:
        pytest.fail(f"{call.name} wants a line of TABLE, with all that it needs: {error}")


CASES = [
    pytest.param(call, rows, id=f"{call.name}, {kind}")
    for call in TABLE + BOOK
    for kind, rows in call.cases().items()
]


@pytest.mark.parametrize(("call", "rows"), CASES)
def test_a_wrong_argument_is_named(call, rows):
    assert [amiss for row in rows if (amiss := answer(call, *row))] == []


@pytest.mark.parametrize(("call", "message"), RELATIONS)
def test_what_does_not_fit_is_said(call, message):
    with pytest.raises(ValueError) as error:
        call()
    assert re.search(message, str(error.value)), f"{error.value} does not match {message}"


# What is not bad ----------------------------------------------------------------------------------


def test_a_batch_of_nothing_has_latents_of_nothing():
    assert latent()(X[:0]).shape == (0, 5, 6)


def test_masks_of_no_device_compile():
    made = torch.compile(
        lambda x: (d.window_mask(len(x), width=2), d.causal_mask(len(x)), d.alibi_bias(3, len(x))),
        backend="eager",
        fullgraph=True,
    )(torch.ones(4))
    wanted = d.window_mask(4, width=2), d.causal_mask(4), d.alibi_bias(3, 4)
    assert all(x.equal(y) for x, y in zip(made, wanted, strict=True))
