"""Attention as a student writes it, and faults in it, each in two disguises, for test_audit.py."""

import functools

import torch
import torch.nn.functional as F
from torch import nn

VOCABULARY = 19
AFTER = {  # what the output of a layer goes through
    "dropout in eval": lambda x: F.dropout(x, 0.1),
    "norm over time": lambda x: (x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True),
    "norm over the whole text": lambda x: F.layer_norm(x, x.shape[1:]),
    "batch statistics": lambda x: F.batch_norm(x.mT, None, None, training=True).mT,
    "norm over the rows": lambda x: x / (x.std(0, keepdim=True, correction=0) + 1),
    "shifted the wrong way": lambda x: x + F.pad(x[:, 1:], (0, 0, 0, 1)),
    "next token mixed in": lambda x: torch.lerp(x, x.roll(-1, 1), 0.3),
    "tokens chosen by an expert": lambda x: x * (x[..., :1] >= x[..., :1].median(1, True).values),
}
SOFT = ["0 and 1 added", "mask of -10", "empty rows NaN", "inverted mask, finite"]
SOFT += ["first row hidden", "0 times infinity"]
LAYOUT = "heads without transpose", "no transpose at all", "output without transpose"


class Attention(nn.Module):
    """Self- or cross-attention; a fault changes the line concerned."""

    def __init__(self, width, heads, kv=0, *, causal=False, window=999, fault=None):
        super().__init__()
        self.size, self.groups, self.fault = width // heads, heads // (kv or heads), fault
        self.causal, self.window, self.kept = causal, window, {}
        self.q, self.o = nn.Linear(width, width), nn.Linear(width, width)
        self.k, self.v = (nn.Linear(width, width // self.groups) for _ in range(2))

    def seen(self, n, s):
        f, i, j = self.fault, torch.arange(s - n, s)[:, None], torch.arange(s)
        c = 3 + (self.groups == 1)
        seen = {
            "no mask": j < s,
            "inverted mask": j > i,
            "inverted mask, finite": j > i,
            "mask off by one": j <= i + 1,
            "one query in k": (j <= i) | (i % c == 2),
            "blocks": j // c <= i // c,
            "diagonal masked": (j < i) | (i + j == 0),
            "first row hidden": j < i,
            "wrong corner": j <= i - s + n,
            "chunks see all": j <= i + s * (s > n),
            "rest of length % 4": j <= i + s * (i >= n - n % 4),
            "mask kept": self.kept.setdefault("mask", j <= i)[-n:, :n],
        }.get(f, j <= i)
        wider = {"one too wide": 1, "one too narrow": -1, "no window": s}.get(f, 0)
        return seen & (i - j < self.window + wider) if self.causal else seen | (j < s)

    def weights(self, q, k, mask):
        f, scores = self.fault, q @ k.mT / self.size**0.5
        masked = {
            "0 and 1 added": scores + mask,
            "mask of -10": scores - 10.0 * ~mask,
            "mask after the softmax": scores,
            "NaN made 0": scores + mask.to(q.dtype).log(),
            "empty rows NaN": scores + mask.to(q.dtype).log(),
            "first row hidden": scores + mask.to(q.dtype).log(),
            "0 times infinity": scores + (1 - mask.to(q.dtype)) * -torch.inf,
        }.get(f, scores.masked_fill(~mask, -1e30))
        if f == "sums in bfloat16":
            e = (masked - masked.amax(-1, keepdim=True)).exp()
            return e / functools.reduce(torch.add, e.unbind(-1))[..., None]
        weights = masked.softmax({"softmax over queries": -2, "softmax over rows": 0}.get(f, -1))
        return weights if f in SOFT else weights.nan_to_num(0) * mask

    def valid(self, lens, b, n, s):
        shift = {"padding off by one": 1, "last real token hidden": -1}.get(self.fault, 0)
        valid = (torch.arange(s) < lens[:, None] + shift) ^ (self.fault == "padding inverted")
        return {
            "padding ignored": torch.tensor(True),
            "queries hidden": valid[:, None, :n, None],
            "lengths repeated": valid.repeat(4, 1).view(b, 4, 1, s),
        }.get(self.fault, valid[:, None, None])

    def forward(self, x, k=None, v=None, valid_lens=None, segments=None, cache=None):
        f, k, b, n = self.fault, x if k is None else k, *x.shape[:2]
        if f == "rows sorted by length" and valid_lens is not None:
            x = x[valid_lens.argsort(descending=v is not None)]
        q, k, v = self.q(x), self.k(k), self.v(k if v is None else v)
        k = k.roll(1, 0) if f == "keys of another row" else k
        if cache is not None:
            old = cache.get(self, (k[:, :0], v[:, :0]))
            cache[self] = torch.cat([old[0], k], 1), torch.cat([old[1], v], 1)
            start = -self.window if f == "evicted too early" else 0
            k, v = (kept[:, start:] for kept in cache[self])
        if f in LAYOUT[:2]:
            q, k, v = (t.reshape(b, -1, t.shape[1], self.size) for t in (q, k, v))
        else:
            q, k, v = (t.unflatten(-1, (-1, self.size)).transpose(1, 2) for t in (q, k, v))
        mask = self.seen(n, k.shape[2])[None, None]
        if valid_lens is not None:
            mask = mask & self.valid(valid_lens, b, n, k.shape[2])
        if segments is not None and f != "packed texts see each other":
            same = segments[:, None, :, None] == segments[:, None, None]
            mask = same if f == "segments instead of the past" else mask & same
        k, v = k.repeat_interleave(self.groups, 1), v.repeat_interleave(self.groups, 1)
        y = self.weights(q, k, mask) @ v
        y = y if f in LAYOUT[1:] else y.transpose(1, 2)
        return AFTER.get(f, lambda y: y)(self.o(y.reshape(b, n, -1)))


class Model(nn.Module):
    """Layers with residual connections between sinusoidal positions and a head."""

    def __init__(self, depth=2, width=32, heads=4, kv=0, *, at=None, fault=None, **more):
        super().__init__()
        self.embed, self.head = nn.Embedding(VOCABULARY, width), nn.Linear(width, VOCABULARY)
        faults = [fault if at in (None, i) else None for i in range(depth)]
        more = {"causal": True} | more
        self.parts = nn.ModuleList(Attention(width, heads, kv, fault=f, **more) for f in faults)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in faults)
        self.fault, self.shared = fault, {}

    def begin(self):
        cache = self.shared if self.fault == "one cache for all" else {}
        return lambda tokens: self(tokens, cache=cache)

    def forward(self, tokens, valid_lens=None, segments=None, cache=None):
        f, x = self.fault, self.embed(tokens)
        more = {"valid_lens": valid_lens, "segments": segments, "cache": cache}
        past = 0 if cache is None else cache.get("n", 0)
        place = torch.arange(tokens.shape[1]).expand(tokens.shape) + past
        if cache is not None:
            cache["n"] = past + tokens.shape[1]
        if segments is not None:
            new = F.pad(segments[:, 1:] != segments[:, :-1], (1, 0), value=True)
            place = place - (place * new * (f != "packed positions go on")).cummax(1).values
        place = place - past if f == "positions restart with a cache" else place
        place = tokens.shape[1] - 1 - place if f == "positions from the end" else place
        dtype = x.dtype if f == "sinusoids in bfloat16" else torch.float32
        rate = 1e4 ** -torch.linspace(0, 1, x.shape[-1] // 2, dtype=dtype)
        angle = place.to(dtype)[..., None] * rate
        table = torch.cat([angle.sin(), angle.cos()], -1).to(x.dtype) * (f != "no positions")
        x = x + (table[0, : len(x), None] if f == "positions of the rows" else table)
        for norm, part in zip(self.norms, self.parts, strict=True):
            x = x + part(norm(x), **more)
        return self.head(x)


def model(*size, ask=None, **more):
    """How to make it, and what to tell audit: a function of the module for some arguments."""
    build = functools.partial(Model, *size, **more)
    return "model", build, VOCABULARY, {"is_causal": more.get("causal", True)} | (ask or {})


def layer(width, *size, ask=None, **more):
    build = functools.partial(Attention, width, *size, **more)
    return "layer", build, width, {"is_causal": more.get("causal", False)} | (ask or {})


def ask(audit, call, fault=None):
    """The report on a fresh module."""
    kind, build, size, options = call
    torch.default_generator.manual_seed(0)
    module = build(fault=fault)
    given = {name: value(module) if callable(value) else value for name, value in options.items()}
    return getattr(audit, kind)(module, size, **given)


encoder, past = functools.partial(model, causal=False), functools.partial(layer, causal=True)
local = functools.partial(past, window=3, ask={"window": 3})
LENS, PACK, KEYS = {"valid_lens": True}, {"segments": True}, {"key_length": 31}
CACHE, HALF = {"cache": lambda module: module.begin}, {"dtype": torch.bfloat16}
# Names of findings of which one must be there, the fault, and two modules that have it. A fault
# that is written in two ways is "a / b"; what stands after a colon is no part of its key.
FAULTS = [
    ("future prefix", "no mask", model(), model(1, 24, 4)),
    ("future prefix", "no mask: in the last layer", model(at=1), model(4, 24, 2, at=3)),
    ("future prefix", "inverted mask", model(3, 24, 2), past(20, 5)),
    ("future prefix", "mask off by one", past(16, 2), model(3, 48, 6, 3)),
    ("future prefix", "one query in k", model(), past(32, 4, 2)),
    ("future prefix", "blocks", model(1, 24, 3), model(2, 32, 4, 2)),
    ("future prefix", "0 and 1 added", model(2, 32, 8), model(4, 16, 2)),
    ("future prefix", "mask of -10", past(24, 2), model(2, 64, 8)),
    ("future prefix", "mask after the softmax", model(), past(40, 4, 1)),
    ("future prefix", "softmax over queries", past(16, 1), model(3, 48, 6)),
    ("future prefix", "heads without transpose", model(), model(1, 32, 8)),
    ("future prefix", "rest of length % 4", model(3), model(1, 24, 2)),
    ("future prefix", "mask kept: from a longer text", model(), model(2, 16, 4)),
    ("future prefix", "norm over time / norm over the whole text", model(), past(24, 4)),
    ("future prefix", "shifted the wrong way / next token mixed in", model(1), model(4, at=2)),
    ("future batch", "tokens chosen by an expert", model(), model(3, 48, 6)),
    ("batch future", "batch statistics / norm over the rows", model(), layer(32, 2)),
    ("batch", "softmax over rows", encoder(), layer(24, 3)),
    ("batch", "keys of another row", past(32, 4), model(3, 48, 6)),
    ("batch order", "positions of the rows", model(), encoder(3, 24)),
    ("order", "no positions", model(1), encoder(3, 48, 4)),
    ("mixed", "output without transpose", layer(32, 4), layer(24, 3, ask=KEYS)),
    ("prefix mixed", "no transpose at all", past(24, 4), model(3, 32, 2)),
    ("random", "dropout in eval", model(), layer(16, 2, ask=KEYS)),
    ("own future", "diagonal masked", past(32, 4), past(24, 2, 1)),
    ("own", "wrong corner", past(16, 2, ask=KEYS), past(30, 3, ask={"key_length": 25})),
    ("window", "one too wide", model(window=5, ask={"window": 9}), local(32, 4)),
    ("window", "one too narrow", local(24, 2), model(3, 24, window=4, ask={"window": 10})),
    ("window", "no window", model(window=4, at=1, ask={"window": 7}), local(16, 4)),
    ("padding", "softmax over queries: padding", encoder(ask=LENS), layer(24, 2, ask=LENS)),
    ("padding", "padding ignored", encoder(ask=LENS), layer(20, 5, 1, ask=KEYS | LENS)),
    ("padding", "padding off by one", encoder(1, 16, 2, ask=LENS), layer(32, 4, ask=KEYS | LENS)),
    ("padding", "last real token hidden", layer(32, 4, ask=LENS), encoder(3, ask=LENS)),
    ("padding", "padding inverted", encoder(ask=LENS), layer(24, 4, ask=LENS)),
    ("padding", "queries hidden", encoder(1, ask=LENS), layer(24, 4, ask=LENS)),
    ("padding batch", "lengths repeated", layer(32, 4, ask=LENS), layer(20, 4, ask=KEYS | LENS)),
    ("padding batch", "rows sorted by length", encoder(ask=LENS), layer(16, 2, ask=KEYS | LENS)),
    ("padding prefix", "positions from the end", encoder(ask=LENS), model(1, 24, 2)),
    ("empty", "empty rows NaN", *(layer(24, n, ask=LENS | {"empty": True}) for n in (2, 3))),
    ("gradient empty", "NaN made 0", *(layer(24, n, ask=LENS | {"empty": True}) for n in (3, 4))),
    ("gradient", "0 times infinity", model(), past(24, 3)),
    ("gradient", "first row hidden", model(3, 48, 6), past(16, 2, 1)),
    ("packed", "packed texts see each other", model(ask=PACK), model(3, 48, 6, 2, ask=PACK)),
    ("packed", "packed positions go on", model(ask=PACK), model(3, 16, 2, ask=PACK)),
    ("packed future", "segments instead of the past", model(1, ask=PACK), model(3, ask=PACK)),
    ("cache", "positions restart with a cache", model(ask=CACHE), model(3, 48, 6, ask=CACHE)),
    ("cache", "wrong corner: with a cache", model(1, ask=CACHE), model(3, 48, 6, ask=CACHE)),
    ("cache", "chunks see all", model(3, 24, 2, ask=CACHE), model(1, 48, 6, ask=CACHE)),
    ("cache", "evicted too early", *(model(window=n, ask=CACHE) for n in (5, 3))),
    ("cache random", "one cache for all", model(ask=CACHE), model(1, 24, 2, ask=CACHE)),
    ("dtype", "sinusoids in bfloat16", encoder(ask=HALF), model(3, 64, 4, ask=HALF)),
    ("dtype", "sums in bfloat16", past(32, 2, ask=HALF), past(64, 4, 2, ask=HALF)),
]
